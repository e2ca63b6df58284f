import { randomUUID } from 'node:crypto';
import { urlencoded } from 'body-parser';
import { Router, type Request, type Response } from 'express';
import { demoPassword } from '../records/person';
import type { Sandbox } from '../sandbox';
import { scenarioNames, scenarios, scenariosNamed, unknownScenario } from '../scenarios/catalogue';
import { publicBaseOf, type PublicBase } from '../public-base';
import {
  AuthorizationRefusal,
  authorizationRequest,
  redirectTo,
  trustedClient,
  UntrustedRequest,
  type AuthorizationRequest,
} from './authorization-request';
import type { CodeClaims } from './grant';
import { accessSeconds, tokenRulesOf } from './issue-tokens';
import { consentPage, problemPage, sendPage, signInPage } from './pages';

/** A sign-in in progress, a hidden field of the forms. */
interface Transaction {
  request: AuthorizationRequest;
  expiresAt: number;
  username?: string;
  scenarios?: string[];
}

const transactionLife = 30 * 60_000;
const codeLife = 5 * 60_000;

/** The authorization endpoint and its pages: request, sign-in, consent, redirect to the client. */
export function authorizeRoutes(sandbox: Sandbox): Router {
  const router = Router({ mergeParams: true });
  const form = urlencoded({ extended: false, limit: '100kb' });

  router.get(
    '/authorize',
    answered((request, response) => begin(sandbox, parametersOf(request.query), request, response)),
  );
  router.post(
    '/authorize',
    form,
    answered((request, response) => begin(sandbox, parametersOf(request.body), request, response)),
  );
  router.post(
    '/authorize/sign-in',
    form,
    answered((request, response) => signIn(sandbox, parametersOf(request.body), response)),
  );
  router.post(
    '/authorize/decision',
    form,
    answered((request, response) => decide(sandbox, request, response)),
  );
  return router;
}

function begin(sandbox: Sandbox, parameters: URLSearchParams, request: Request, response: Response): void {
  const publicBase = publicBaseOf(sandbox, request);
  for (const scenario of scenariosNamed(publicBase.scenarios)) {
    const reply = scenario.authorizationRequest?.(request.originalUrl.split('?')[0]!);
    if (reply) return void response.status(reply.status).set(reply.headers).send(reply.body);
  }
  const { redirectUri } = trustedClient(parameters, sandbox.clients);
  const checked = authorizationRequest(parameters, redirectUri, sandbox.origins);
  const asked = { ...checked, scenarios: [...publicBase.scenarios, ...checked.scenarios] };
  const [hint = '', ...hinted] = scenarioNames(parameters.get('login_hint') ?? '');
  if (parameters.get('prompt') === 'none') {
    const refusal = unknownScenario(hinted) ?? (sandbox.people.find(hint) ? undefined : hint);
    if (refusal !== undefined)
      throw new AuthorizationRefusal(
        redirectUri,
        asked.state,
        'login_required',
        `nobody can be signed in by the login_hint “${refusal}”`,
      );
    return response.redirect(302, grantedRedirect(sandbox, publicBase, asked, hint, hinted));
  }
  showSignIn(
    sandbox,
    response,
    { request: asked, expiresAt: sandbox.now() + transactionLife, scenarios: hinted },
    hint,
  );
}

function signIn(sandbox: Sandbox, form: URLSearchParams, response: Response): void {
  const transaction = openTransaction(sandbox, form);
  const [username = '', ...named] = scenarioNames(form.get('username') ?? '');
  const chosen = [...named, ...scenarioNames(form.get('scenario') ?? ''), ...(transaction.scenarios ?? [])];
  const known = sandbox.people.find(username);
  if (!known || form.get('password') !== demoPassword || unknownScenario(chosen)) {
    return showSignIn(sandbox, response, transaction, username, 'That username and password do not belong together.');
  }
  const { request } = transaction;
  const client = sandbox.clients.get(request.clientId);
  sendPage(
    response,
    200,
    consentPage({
      transaction: sandbox.tokens.sign('transaction', { ...transaction, username, scenarios: chosen }),
      action: 'decision',
      clientName: client?.client_name ?? request.clientId,
      username,
      scopes: request.scopes,
      accessSeconds: secondsOfAccess(request, chosen),
    }),
  );
}

function decide(sandbox: Sandbox, httpRequest: Request, response: Response): void {
  const form = parametersOf(httpRequest.body);
  const { request, username, scenarios: chosen = [] } = openTransaction(sandbox, form);
  if (!username) throw new UntrustedRequest('Please sign in first.');
  if (form.get('decision') !== 'allow') {
    throw new AuthorizationRefusal(request.redirectUri, request.state, 'access_denied', 'the patient refused');
  }
  response.redirect(303, grantedRedirect(sandbox, publicBaseOf(sandbox, httpRequest), request, username, chosen));
}

/** The scenarios of the address and those that were chosen at the sign-in. */
function scenariosOf(request: AuthorizationRequest, chosen: string[]): string[] {
  return [...new Set([...request.scenarios, ...chosen])];
}

function grantedScopes(request: AuthorizationRequest, names: string[]): string[] {
  return scenariosNamed(names).reduce(
    (granted, scenario) => scenario.grantedScopes?.(granted) ?? granted,
    request.scopes,
  );
}

/** How long the access lasts that the consent page offers, in seconds; undefined: without an end. */
function secondsOfAccess(request: AuthorizationRequest, chosen: string[]): number | undefined {
  const names = scenariosOf(request, chosen);
  return accessSeconds(grantedScopes(request, names), tokenRulesOf(scenariosNamed(names)));
}

/** The redirect to the client, with the authorization code of a new grant. */
function grantedRedirect(
  sandbox: Sandbox,
  publicBase: PublicBase,
  request: AuthorizationRequest,
  username: string,
  chosen: string[],
): string {
  const names = scenariosOf(request, chosen);
  for (const scenario of scenariosNamed(names)) {
    const reason = scenario.refusesScopes?.(request.scopes);
    if (reason !== undefined)
      throw new AuthorizationRefusal(request.redirectUri, request.state, 'invalid_scope', reason);
  }
  const scopes = grantedScopes(request, names);
  const { clientId, redirectUri, challenge, base, release, nonce } = request;
  const claims: CodeClaims = {
    grantId: randomUUID(),
    username,
    clientId,
    scopes,
    scenarios: names,
    base,
    release,
    redirectUri,
    challenge,
    expiresAt: sandbox.now() + codeLife,
    ...(nonce === undefined ? {} : { nonce }),
  };
  const plain: Record<string, string> = {
    code: sandbox.tokens.sign('code', claims),
    ...(request.state === undefined ? {} : { state: request.state }),
  };
  const issuer = `${publicBase.origin}${publicBase.prefix}`;
  return redirectTo(
    redirectUri,
    scenariosNamed(names).reduce(
      (response, scenario) => scenario.authorizationResponse?.(response, issuer) ?? response,
      plain,
    ),
  );
}

function openTransaction(sandbox: Sandbox, form: URLSearchParams): Transaction {
  const transaction = sandbox.tokens.verify<Transaction>('transaction', form.get('transaction') ?? '');
  if (!transaction || transaction.expiresAt < sandbox.now())
    throw new UntrustedRequest('This sign-in has expired. Please go back to the application and begin again.');
  return transaction;
}

function showSignIn(
  sandbox: Sandbox,
  response: Response,
  transaction: Transaction,
  username: string,
  error?: string,
): void {
  sendPage(
    response,
    error === undefined ? 200 : 401,
    signInPage({
      transaction: sandbox.tokens.sign('transaction', transaction),
      action: error === undefined ? 'authorize/sign-in' : 'sign-in',
      people: sandbox.people.listed(),
      password: demoPassword,
      scenarios,
      username,
      ...(error === undefined ? {} : { error }),
    }),
  );
}

/** Sends errors to the client if its redirect_uri is registered, otherwise as a page. */
function answered(handler: (request: Request, response: Response) => void) {
  return (request: Request, response: Response): void => {
    try {
      handler(request, response);
    } catch (error) {
      if (error instanceof UntrustedRequest) sendPage(response, 400, problemPage(error.message));
      else if (error instanceof AuthorizationRefusal) {
        response.redirect(
          302,
          redirectTo(error.redirectUri, { error: error.code, error_description: error.message, state: error.state }),
        );
      } else throw error;
    }
  };
}

/** OAuth forbids repeated parameters (RFC 6749, section 3.1): the first one is used. */
function parametersOf(source: unknown): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries((source ?? {}) as Record<string, unknown>)) {
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'string') parameters.set(name, first);
  }
  return parameters;
}
