import { createHash } from 'node:crypto';
import { json, urlencoded } from 'body-parser';
import { Router, type Request, type Response } from 'express';
import { authenticateClient } from '../clients/client-authentication';
import { InvalidClient } from '../clients/invalid-client';
import type { AuthenticationMethod, RegisteredClient } from '../clients/registered-clients';
import type { Sandbox } from '../sandbox';
import { scenariosNamed } from '../scenarios/catalogue';
import type { Reply, TokenRules } from '../scenarios/scenario';
import { publicBaseOf, type PublicBase } from '../public-base';
import type { CodeClaims, GrantClaims, RefreshClaims } from './grant';
import { verifyAccessToken } from './access-token';
import { issueTokens, nextRefreshSequence, tokenRulesOf } from './issue-tokens';

/** An error response of the token endpoint (RFC 6749, section 5.2). */
class TokenProblem extends Error {
  constructor(
    readonly code: string,
    description: string,
  ) {
    super(description);
  }
}

/** The token endpoint and revocation (RFC 7009). */
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
  router.get('/jwks', async (_request, response) => void response.json(await sandbox.signingKey.jwks()));
  return router;
}

async function token(sandbox: Sandbox, request: Request, response: Response): Promise<void> {
  const form = formOf(request);
  const publicBase = publicBaseOf(sandbox, request);
  const grantType = form.get('grant_type') ?? '';
  const claims =
    grantType === 'refresh_token'
      ? refreshClaims(sandbox, form)
      : grantType === 'authorization_code'
        ? codeClaims(sandbox, form)
        : undefined;
  const scenarios = scenariosNamed([...publicBase.scenarios, ...(claims?.scenarios ?? [])]);
  const rules = tokenRulesOf(scenarios);
  sandbox.observations.tokenRequested(claims?.username, grantType);
  const { client, method } = await authenticated(sandbox, publicBase, request, form, rules, claims);
  for (const scenario of scenarios) {
    const reply = scenario.clientAuthentication?.({ method, form });
    if (reply) return sendReply(response, reply);
  }
  if (!['authorization_code', 'refresh_token'].includes(grantType))
    throw new TokenProblem('unsupported_grant_type', 'authorization_code and refresh_token are known here');
  if (!claims) throw new TokenProblem('invalid_grant', 'the code or refresh token is not valid');
  if (claims.clientId !== client.client_id) throw new TokenProblem('invalid_grant', 'it was issued to another client');

  const counters = sandbox.grants.of(claims.grantId);
  for (const scenario of scenarios) {
    const reply = scenario.tokenRequest?.({ grantType, counters, now: sandbox.now() });
    if (reply) return sendReply(response, reply);
  }
  if (grantType === 'authorization_code') spendCode(sandbox, claims as CodeClaims, form);
  else spendRefreshToken(sandbox, claims as RefreshClaims, rules);
  sandbox.observations.tokenIssued(claims.username, grantType);
  const tokens = await issueTokens(sandbox, publicBase, claims, grantType, rules);
  sendUncached(
    response,
    200,
    scenarios.reduce((changed, scenario) => scenario.tokenResponse?.(changed, claims) ?? changed, tokens),
  );
}

/** Sends JSON that must not be cached (RFC 6749, section 5.1). */
function sendUncached(response: Response, status: number, body: unknown): void {
  response.status(status).set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }).json(body);
}

function sendReply(response: Response, { status, headers, body }: Reply): void {
  response.status(status).set(headers).send(body);
}

function codeClaims(sandbox: Sandbox, form: URLSearchParams): CodeClaims | undefined {
  return sandbox.tokens.verify<CodeClaims>('code', form.get('code') ?? '');
}

function refreshClaims(sandbox: Sandbox, form: URLSearchParams): RefreshClaims | undefined {
  return sandbox.tokens.verify<RefreshClaims>('refresh', form.get('refresh_token') ?? '');
}

/**
 * An authorization code is valid once, with its PKCE verifier (RFC 7636); a second use revokes the grant (RFC 6749,
 * section 4.1.2).
 */
function spendCode(sandbox: Sandbox, claims: CodeClaims, form: URLSearchParams): void {
  const state = sandbox.grants.of(claims.grantId);
  if (claims.expiresAt < sandbox.now()) throw new TokenProblem('invalid_grant', 'the code has expired');
  if (state.codeSpent) {
    state.revoked = true;
    throw new TokenProblem('invalid_grant', 'the code was used before');
  }
  if (form.get('redirect_uri') !== claims.redirectUri)
    throw new TokenProblem('invalid_grant', 'redirect_uri is not the one of the authorization');
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url');
  if (challenge !== claims.challenge)
    throw new TokenProblem('invalid_grant', 'code_verifier does not fit the code_challenge');
  state.codeSpent = true;
}

function spendRefreshToken(sandbox: Sandbox, claims: RefreshClaims, rules: TokenRules): void {
  const state = sandbox.grants.of(claims.grantId);
  if (state.revoked) throw new TokenProblem('invalid_grant', 'the grant was ended');
  if (claims.sequence < state.refreshSequence) {
    if (rules.refresh === 'one-use') state.revoked = true;
    throw new TokenProblem('invalid_grant', 'this refresh token was replaced by a newer one');
  }
  state.refreshSequence = nextRefreshSequence(claims, rules);
}

async function authenticated(
  sandbox: Sandbox,
  publicBase: PublicBase,
  request: Request,
  form: URLSearchParams,
  rules: TokenRules,
  claims?: GrantClaims,
): Promise<{ client: RegisteredClient; method: AuthenticationMethod }> {
  const tokenEndpoints = [...sandbox.origins, sandbox.elsewhereOrigin].flatMap((origin) => [
    `${origin}${publicBase.prefix}/oauth2/token`,
    `${origin}${publicBase.prefix}`,
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
    return { client, method };
  } catch (error) {
    if (error instanceof InvalidClient) sandbox.observations.clientRefused(claims?.username);
    throw error;
  }
}

async function revoke(sandbox: Sandbox, request: Request, response: Response): Promise<void> {
  const form = formOf(request);
  await authenticated(sandbox, publicBaseOf(sandbox, request), request, form, {});
  const text = form.get('token') ?? '';
  const claims = verifyAccessToken(sandbox, text) ?? sandbox.tokens.verify<RefreshClaims>('refresh', text);
  if (claims) sandbox.grants.of(claims.grantId).revoked = true;
  response.status(200).end();
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
