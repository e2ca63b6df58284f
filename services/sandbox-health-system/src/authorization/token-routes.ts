import { createHash } from 'node:crypto';
import { json, urlencoded } from 'body-parser';
import { Router, type Request, type Response } from 'express';
import { authenticateClient } from '../clients/client-authentication';
import { InvalidClient } from '../clients/invalid-client';
import type { RegisteredClient } from '../clients/registered-clients';
import type { Sandbox } from '../sandbox';
import { scenariosNamed } from '../scenarios/catalogue';
import type { TokenRules } from '../scenarios/scenario';
import { sendUncached, siteOf, type Site } from '../site';
import type { AccessFacts, CodeFacts, GrantFacts, RefreshFacts } from './grant';
import { issueTokens, nextRefreshSequence, tokenRulesOf } from './issue-tokens';

/** An error of the token endpoint in the words of RFC 6749. */
class TokenProblem extends Error {
  constructor(
    readonly code: string,
    description: string,
  ) {
    super(description);
  }
}

/** The token endpoint, revocation (RFC 7009) and introspection (RFC 7662). */
export function tokenRoutes(sandbox: Sandbox): Router {
  const router = Router({ mergeParams: true });
  const bodies = [urlencoded({ extended: false, limit: '100kb' }), json({ limit: '100kb' })];
  router.post(
    '/token',
    bodies,
    answered((request, response) => token(sandbox, request, response)),
  );
  router.post(
    '/revoke',
    bodies,
    answered((request, response) => revoke(sandbox, request, response)),
  );
  router.post(
    '/introspect',
    bodies,
    answered((request, response) => introspect(sandbox, request, response)),
  );
  router.get('/jwks', async (_request, response) => void response.json(await sandbox.signingKey.jwks()));
  return router;
}

async function token(sandbox: Sandbox, request: Request, response: Response): Promise<void> {
  const form = formOf(request);
  const site = siteOf(sandbox, request);
  const grantType = form.get('grant_type') ?? '';
  const facts =
    grantType === 'refresh_token'
      ? refreshFacts(sandbox, form)
      : grantType === 'authorization_code'
        ? codeFacts(sandbox, form)
        : undefined;
  const scenarios = scenariosNamed([...site.scenarios, ...(facts?.scenarios ?? [])]);
  const rules = tokenRulesOf(scenarios);
  const client = await authenticated(sandbox, site, request, form, rules, facts);
  if (!['authorization_code', 'refresh_token'].includes(grantType))
    throw new TokenProblem('unsupported_grant_type', 'authorization_code and refresh_token are known here');
  if (!facts) throw new TokenProblem('invalid_grant', 'the code or refresh token is not valid');
  if (facts.clientId !== client.client_id) throw new TokenProblem('invalid_grant', 'it was issued to another client');

  const counters = sandbox.grants.of(facts.grantId);
  for (const scenario of scenarios) {
    const reply = scenario.tokenRequest?.({ grantType, counters, now: sandbox.now() });
    if (reply) return void response.status(reply.status).set(reply.headers).send(reply.body);
  }
  if (grantType === 'authorization_code') spendCode(sandbox, facts as CodeFacts, form);
  else spendRefreshToken(sandbox, facts as RefreshFacts, rules);
  sandbox.observations.tokenIssued(facts.username, grantType);
  sendUncached(response, 200, await issueTokens(sandbox, site, facts, grantType, rules));
}

function codeFacts(sandbox: Sandbox, form: URLSearchParams): CodeFacts | undefined {
  return sandbox.tokens.verify<CodeFacts>('code', form.get('code') ?? '');
}

function refreshFacts(sandbox: Sandbox, form: URLSearchParams): RefreshFacts | undefined {
  return sandbox.tokens.verify<RefreshFacts>('refresh', form.get('refresh_token') ?? '');
}

/** A code is good for one use, by the one who holds the PKCE verifier; a second use ends what the first one gave. */
function spendCode(sandbox: Sandbox, facts: CodeFacts, form: URLSearchParams): void {
  const state = sandbox.grants.of(facts.grantId);
  if (facts.expiresAt < sandbox.now()) throw new TokenProblem('invalid_grant', 'the code has expired');
  if (state.codeSpent) {
    state.revoked = true;
    throw new TokenProblem('invalid_grant', 'the code was used before');
  }
  if (form.get('redirect_uri') !== facts.redirectUri)
    throw new TokenProblem('invalid_grant', 'redirect_uri is not the one of the authorization');
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (challenge !== facts.challenge)
    throw new TokenProblem('invalid_grant', 'code_verifier does not fit the code_challenge');
  state.codeSpent = true;
}

function spendRefreshToken(sandbox: Sandbox, facts: RefreshFacts, rules: TokenRules): void {
  const state = sandbox.grants.of(facts.grantId);
  if (state.revoked) throw new TokenProblem('invalid_grant', 'the grant was ended');
  if (facts.sequence < state.refreshSequence) {
    if (rules.refresh === 'one-use') state.revoked = true;
    throw new TokenProblem('invalid_grant', 'this refresh token was replaced by a newer one');
  }
  state.refreshSequence = nextRefreshSequence(facts, rules);
}

async function authenticated(
  sandbox: Sandbox,
  site: Site,
  request: Request,
  form: URLSearchParams,
  rules: TokenRules,
  facts?: GrantFacts,
): Promise<RegisteredClient> {
  const tokenEndpoints = [...sandbox.origins, sandbox.elsewhereOrigin].flatMap((origin) => [
    `${origin}${site.prefix}/oauth2/token`,
    `${origin}${site.prefix}`,
  ]);
  try {
    const { client, method } = await authenticateClient(sandbox.clients, {
      authorization: request.get('authorization'),
      form,
      tokenEndpoints,
      now: sandbox.now(),
      rawBasic: rules.rawBasicCredentials === true,
    });
    if (rules.methods && !rules.methods.includes(method))
      throw new InvalidClient(`clients do not authenticate by ${method} here`);
    return client;
  } catch (error) {
    if (error instanceof InvalidClient) sandbox.observations.clientRefused(facts?.username);
    throw error;
  }
}

async function revoke(sandbox: Sandbox, request: Request, response: Response): Promise<void> {
  const form = formOf(request);
  await authenticated(sandbox, siteOf(sandbox, request), request, form, {});
  const facts = openToken(sandbox, form.get('token') ?? '');
  if (facts) sandbox.grants.of(facts.grantId).revoked = true;
  response.status(200).end();
}

async function introspect(sandbox: Sandbox, request: Request, response: Response): Promise<void> {
  const form = formOf(request);
  const client = await authenticated(sandbox, siteOf(sandbox, request), request, form, {});
  const facts = openToken(sandbox, form.get('token') ?? '');
  const active =
    facts !== undefined &&
    facts.clientId === client.client_id &&
    !sandbox.grants.of(facts.grantId).revoked &&
    !(facts.expiresAt! < sandbox.now());
  sendUncached(
    response,
    200,
    active
      ? { active, scope: facts.scopes.join(' '), client_id: facts.clientId, username: facts.username }
      : { active: false },
  );
}

function openToken(sandbox: Sandbox, text: string): (GrantFacts & Partial<AccessFacts>) | undefined {
  return sandbox.tokens.verify<AccessFacts>('access', text) ?? sandbox.tokens.verify<RefreshFacts>('refresh', text);
}

function formOf(request: Request): URLSearchParams {
  const body = (request.body ?? {}) as Record<string, unknown>;
  return new URLSearchParams(
    Object.entries(body).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    ),
  );
}

function answered(handler: (request: Request, response: Response) => Promise<void>) {
  return async (request: Request, response: Response): Promise<void> => {
    try {
      await handler(request, response);
    } catch (error) {
      if (error instanceof TokenProblem)
        sendUncached(response, 400, { error: error.code, error_description: error.message });
      else if (error instanceof InvalidClient) {
        response.set('WWW-Authenticate', 'Basic realm="sandbox"');
        sendUncached(response, 401, { error: 'invalid_client', error_description: error.message });
      } else throw error;
    }
  };
}
