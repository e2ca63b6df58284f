import { randomUUID } from 'node:crypto';
import { urlencoded } from 'body-parser';
import { Router, type Request, type Response } from 'express';
import { demoPassword } from '../records/person';
import type { Sandbox } from '../sandbox';
import { scenarioNames, scenarios, scenariosAbout, scenariosNamed, unknownScenario } from '../scenarios/catalogue';
import { worksFromSignIn } from '../scenarios/scenario';
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
import { peopleInWords } from './person-in-words';

/** A sign-in in progress, a hidden field of the forms. */
interface Transaction {
  request: AuthorizationRequest;
  expiresAt: number;
  username?: string;
  scenarios?: string[];
}

const transactionLife = 30 * 60_000;
const codeLife = 5 * 60_000;

/** How many people the sign-in page lists. */
const maxListed = 40;

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
  router.get(
    '/authorize/sign-in',
    answered((request, response) => search(sandbox, request, response)),
  );
  router.post(
    '/authorize/sign-in',
    form,
    answered((request, response) => signIn(sandbox, request, response)),
  );
  router.post(
    '/authorize/decision',
    form,
    answered((request, response) => decide(sandbox, request, response)),
  );
  return router;
}

async function begin(
  sandbox: Sandbox,
  parameters: URLSearchParams,
  request: Request,
  response: Response,
): Promise<void> {
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
  const transaction = { request: asked, expiresAt: sandbox.now() + transactionLife, scenarios: hinted };
  await showSignIn(sandbox, request, response, transaction, { username: hint });
}

/** The sign-in page with the scenarios that fit a search. */
async function search(sandbox: Sandbox, request: Request, response: Response): Promise<void> {
  const query = parametersOf(request.query);
  await showSignIn(sandbox, request, response, openTransaction(sandbox, query), {
    username: query.get('username') ?? '',
    search: query.get('find')?.trim() ?? '',
  });
}

async function signIn(sandbox: Sandbox, httpRequest: Request, response: Response): Promise<void> {
  const form = parametersOf(httpRequest.body);
  const transaction = openTransaction(sandbox, form);
  const [username = '', ...named] = scenarioNames(form.get('username') ?? '');
  const chosen = [...named, ...scenarioNames(form.get('scenario') ?? ''), ...(transaction.scenarios ?? [])];
  const known = sandbox.people.find(username);
  if (!known || form.get('password') !== demoPassword || unknownScenario(chosen)) {
    return showSignIn(sandbox, httpRequest, response, transaction, {
      username,
      scenario: form.get('scenario') ?? '',
      error: 'The username or the password is wrong. Please try again.',
    });
  }
  const { request } = transaction;
  sendPage(
    response,
    200,
    consentPage({
      transaction: sandbox.tokens.sign('transaction', { ...transaction, username, scenarios: chosen }),
      action: 'decision',
      clientName: clientName(sandbox, request),
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

/** The name of the client that asks, as it is registered; its id where it has none. */
function clientName({ clients }: Sandbox, { clientId }: AuthorizationRequest): string {
  return clients.get(clientId)?.client_name ?? clientId;
}

async function showSignIn(
  sandbox: Sandbox,
  { path }: Request,
  response: Response,
  transaction: Transaction,
  filled: { username: string; search?: string; scenario?: string; error?: string },
): Promise<void> {
  const { search = '', scenario = '', error } = filled;
  const people = sandbox.people.listed();
  const offered = scenarios.filter(worksFromSignIn);
  sendPage(
    response,
    error === undefined ? 200 : 401,
    signInPage({
      ...filled,
      transaction: sandbox.tokens.sign('transaction', transaction),
      action: path.endsWith('/authorize') ? 'authorize/sign-in' : 'sign-in',
      clientName: clientName(sandbox, transaction.request),
      people: await peopleInWords(people.slice(0, maxListed), sandbox.now()),
      usernames: people.map(({ username }) => username),
      password: demoPassword,
      scenarios: search === '' ? offered : scenariosAbout(search, offered),
      search,
      scenario,
    }),
  );
}

/** Sends errors to the client if its redirect_uri is registered, otherwise as a page. */
function answered(handler: (request: Request, response: Response) => void | Promise<void>) {
  return async (request: Request, response: Response): Promise<void> => {
    try {
      await handler(request, response);
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
