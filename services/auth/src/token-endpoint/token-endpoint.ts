import {
  type SystemTokenResponse,
  type TokenResponse,
  isErrorCode,
  systemTokenResponse,
  tokenResponse,
} from '@tributary/contracts';
import { type Api, HttpError, badRequest } from '@tributary/service-kit';
import OAuth2Server from 'oauth2-server';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { ClientEndpoint } from '../client-authentication/client-authentication';
import { clientErrors, clientParameters, formOrJson, parameter } from '../client-authentication/parameters';
import type { Revocations } from '../revocation/revocations';
import type { AuthorizationCodes } from '../tokens/authorization-codes';
import type { RefreshTokens } from '../tokens/refresh-tokens';
import { tokenRequest, tokenRequestExamples } from './documented-request';
import { authorizationCodeGrant } from './authorization-code-grant';
import { clientCredentialsGrant } from './client-credentials-grant';
import { refreshTokenGrant } from './refresh-token-grant';
import { type IssuedToken, TokenRequest, isAbandoned } from './token-request';

/** The values of `grant_type` that are supported. */
export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'];

/** Of every grant; `tokenRequest` documents them. */
const tokenParameters = z.object({
  ...clientParameters,
  grant_type: parameter.min(1, 'must not be empty'),
  code: parameter.optional(),
  refresh_token: parameter.optional(),
  scope: parameter.optional(),
  /** Refused: the codes of user management have no code_challenge. */
  code_verifier: parameter.optional(),
});

/** Where the grants read and write. */
export interface TokenStores {
  pool: Pool;
  codes: AuthorizationCodes;
  refreshTokens: RefreshTokens;
  revocations: Revocations;
}

/**
 * `POST /oauth2/token`.
 *
 * The order of the calls of a request:
 *
 *     Api                                   parses the body, checks it against `tokenParameters`
 *     client-authentication.ts              authenticates the client
 *     OAuth2Server.token()
 *       TokenHandler.getClient()            model.getClient(): the authenticated client and its grant types
 *       TokenHandler.handleGrantType()      checks that the grant type is known and allowed for the client
 *         authorization-code-grant.ts       |
 *         refresh-token-grant.ts            | handle(): the whole grant, down to its SQL statement
 *         client-credentials-grant.ts       |
 *       new TokenModel()                    checks what the grant returned
 *     toResponse()                          the response body
 *
 * oauth2-server provides the request checks, the dispatch to the grant, and the errors of the
 * protocol with their status codes. Its built-in grants are replaced by extension grants of the same names: they mark a
 * code or refresh token as used in one call of the model and save the new tokens in another, so two concurrent requests
 * could both succeed, or a crash between the two could lose the tokens. The grants here do both in one SQL statement.
 * Clients are authenticated before, in one place for all endpoints.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.2
 */
export function serveTokens(api: Api, endpoint: ClientEndpoint, stores: TokenStores): Api {
  const server = new OAuth2Server({
    model: { getClient: async (id: string) => ({ id, grants: grantTypes }) } as unknown as OAuth2Server.ExtensionModel,
    extendedGrantTypes: {
      authorization_code: authorizationCodeGrant(stores.codes, stores.revocations),
      refresh_token: refreshTokenGrant(stores.refreshTokens, stores.revocations),
      client_credentials: clientCredentialsGrant(stores.pool),
    },
    requireClientAuthentication: Object.fromEntries(grantTypes.map((grantType) => [grantType, false])),
  });
  return api.route(
    {
      method: 'post',
      path: '/oauth2/token',
      operationId: 'exchangeForTokens',
      summary: 'Exchange a code or a refresh token for tokens, or issue a system token',
      description:
        'A code can be used once. A refresh token is replaced by each use. A client that lost the response can send it again within 60 seconds, as long as no token of the new pair has been used; only the tokens of the last response work. Any other reuse of a code or refresh token revokes all tokens that descend from the same code. A client with registered keys gets a system token by client_credentials and a client_assertion (SMART Backend Services), without a refresh token.',
      tags: ['Tokens'],
      ...endpoint,
      audit: { kind: 'token.issued', action: 'E' },
      body: tokenParameters,
      bodyTypes: formOrJson,
      documentedBody: tokenRequest,
      bodyExamples: tokenRequestExamples,
      responses: {
        200: {
          description: 'A token pair of the user, or a system token of the client.',
          schema: z.union([tokenResponse, systemTokenResponse]),
        },
        ...clientErrors,
        400: {
          description: 'The request is malformed, or the grant is refused.',
          codes: ['invalid_request', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
        },
      },
    },
    async ({ principal, body, response, audit }): Promise<TokenResponse | SystemTokenResponse> => {
      response.set('Pragma', 'no-cache');
      if (!grantTypes.includes(body.grant_type))
        throw badRequest(`grant_type: ${grantTypes.join(', ')} are supported`, 'unsupported_grant_type');
      audit({ entities: [{ type: body.grant_type }] });
      const request = new TokenRequest(body, principal, () => isAbandoned(response));
      try {
        const issued = (await server.token(request, new OAuth2Server.Response())) as IssuedToken;
        audit({ subject: issued.user.serviceUserId });
        return toResponse(issued);
      } catch (error) {
        throw toHttpError(error);
      }
    },
  );
}

function toResponse({ accessToken, refreshToken, lifetime, scope }: IssuedToken): TokenResponse | SystemTokenResponse {
  return {
    access_token: accessToken,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    token_type: 'Bearer',
    expires_in: lifetime,
    scope: scope.join(' '),
  };
}

/** Unwraps an error of a grant: oauth2-server wraps all but its own in a ServerError. */
function toHttpError(error: unknown): unknown {
  if (error instanceof OAuth2Server.ServerError) return 'inner' in error ? error.inner : error;
  if (error instanceof OAuth2Server.OAuthError && isErrorCode(error.name))
    return new HttpError(error.name, error.message);
  return error;
}
