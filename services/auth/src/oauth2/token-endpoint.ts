import {
  type SystemTokenResponse,
  type TokenResponse,
  systemTokenResponse,
  tokenResponse,
  userScope,
} from '@tributary/contracts';
import { type Api, type Authentication, HttpError, badRequest } from '@tributary/service-kit';
import OAuth2Server from 'oauth2-server';
import { z } from 'zod';
import { accessTokenLifetime, refreshTokenLifetime } from '../tokens/lifetimes';
import type { SystemTokens } from '../tokens/system-tokens';
import { isAbandoned } from './abandoned-request';
import { clientErrors, clientParameters, parameter } from './parameters';
import type { RequestingClient } from './requesting-client';
import { clientCredentials, grantSystemToken } from './system-token-grant';
import { type TokenGrantStores, TokenGrants, grantTypes } from './token-grants';

const tokenRequest = z.object({
  ...clientParameters,
  grant_type: parameter.min(1, 'must not be empty').describe('authorization_code, refresh_token or client_credentials'),
  code: parameter.optional().describe('Of authorization_code: the code that user management gave.'),
  refresh_token: parameter.optional().describe('Of refresh_token: the one of the last answer.'),
  scope: parameter
    .optional()
    .describe(
      'Of refresh_token: at most what the token has. Of client_credentials: system/*.rs, or types as in system/Patient.rs; .read means the same.',
    ),
  code_verifier: parameter.optional().describe('Refused: the codes of user management carry no code_challenge.'),
});
type TokenRequest = z.infer<typeof tokenRequest>;

/** What the token endpoint works on. */
export interface TokenStores extends TokenGrantStores {
  systemTokens: SystemTokens;
}

/** `POST /oauth2/token` (RFC 6749, sections 4.1.3, 4.4 and 6; SMART Backend Services). */
export function serveTokens(api: Api, client: Authentication<RequestingClient>, stores: TokenStores): Api {
  return api.route(
    {
      method: 'post',
      path: '/oauth2/token',
      operationId: 'exchangeForTokens',
      summary: "Exchange a user's code, or a refresh token, for tokens; or get a token of the client itself",
      description:
        'A code works once. A refresh token works until one of the tokens it gave is used: within 60 seconds it may be sent again when the answer was lost, and only the tokens of the last answer work. A code or refresh token that comes again after that ends all tokens that descend from the same code. A client with registered keys gets a token of its own by client_credentials and a client_assertion (SMART Backend Services); it gets no refresh token.',
      tags: ['tokens'],
      authentication: client,
      body: tokenRequest,
      responses: {
        200: {
          description: 'Tokens of the user, or one of the client.',
          schema: z.union([tokenResponse, systemTokenResponse]),
        },
        ...clientErrors,
      },
    },
    ({ principal, body, response }): Promise<TokenResponse | SystemTokenResponse> => {
      response.set('Pragma', 'no-cache');
      return body.grant_type === clientCredentials
        ? grantSystemToken(principal, body.scope, stores.systemTokens)
        : grantTokens(principal, body, stores, () => isAbandoned(response));
    },
  );
}

async function grantTokens(
  client: RequestingClient,
  parameters: TokenRequest,
  stores: TokenGrantStores,
  abandoned: () => boolean,
): Promise<TokenResponse> {
  if (!grantTypes.includes(parameters.grant_type))
    throw badRequest(
      `grant_type: ${[...grantTypes, clientCredentials].join(', ')} are supported`,
      'unsupported_grant_type',
    );
  const server = new OAuth2Server({
    // The model lacks only what authorize() and authenticate() would need, and nobody calls these.
    model: new TokenGrants(
      stores,
      client,
      abandoned,
    ) as Partial<OAuth2Server.AuthorizationCodeModel> as OAuth2Server.AuthorizationCodeModel,
    accessTokenLifetime,
    refreshTokenLifetime,
    // The client has been authenticated before, in one place for all endpoints.
    requireClientAuthentication: Object.fromEntries(grantTypes.map((grantType) => [grantType, false])),
  });
  try {
    const token = await server.token(libraryRequest(client, parameters), new OAuth2Server.Response());
    return {
      access_token: token.accessToken,
      refresh_token: token.refreshToken ?? '',
      token_type: 'Bearer',
      expires_in: accessTokenLifetime,
      scope: token.scope?.join(' ') ?? userScope,
    };
  } catch (error) {
    throw asAnswer(error);
  }
}

/** The library reads forms alone; here the body has been read already, whichever it was. A parameter without a value counts as not sent. */
function libraryRequest(client: RequestingClient, parameters: TokenRequest): OAuth2Server.Request {
  const sent = Object.fromEntries(
    Object.entries(parameters).filter(([name, value]) => !(name in clientParameters) && value !== ''),
  );
  return new OAuth2Server.Request({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
    query: {},
    body: { ...sent, client_id: client.clientId },
  });
}

/** The library's errors are the protocol's; around an error of another kind, such as one of the database, it wraps a ServerError. */
function asAnswer(error: unknown): unknown {
  if (error instanceof OAuth2Server.ServerError) return 'inner' in error ? error.inner : error;
  if (error instanceof OAuth2Server.OAuthError) return new HttpError(error.code, error.name, error.message);
  return error;
}
