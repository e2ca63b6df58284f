import { type IntrospectionResponse, exampleValues, introspectionResponse } from '@tributary/contracts';
import type { Api } from '@tributary/service-kit';
import type { ClientEndpoint } from '../client-authentication/client-authentication';
import { clientErrors, formOrJson, tokenParameters } from '../client-authentication/parameters';
import type { ActiveTokens } from './active-tokens';

/**
 * `POST /oauth2/introspect`. A client can introspect its own tokens only.
 * @see https://www.rfc-editor.org/rfc/rfc7662
 */
export function serveIntrospection(
  api: Api,
  endpoint: ClientEndpoint,
  activeTokens: ActiveTokens,
  issuer: string,
): Api {
  return api.route(
    {
      method: 'post',
      path: '/oauth2/introspect',
      isSafe: true,
      operationId: 'introspectToken',
      audit: { kind: 'token.introspected', action: 'R' },
      summary: 'Introspect a token',
      tags: ['Tokens'],
      ...endpoint,
      body: tokenParameters,
      bodyTypes: formOrJson,
      example: {
        body: {
          client_id: exampleValues.client_id,
          client_secret: exampleValues.client_secret,
          token: exampleValues.access_token,
        },
      },
      responses: {
        200: {
          description:
            'The token; `active` is false when it is unknown, expired, revoked or belongs to another client.',
          schema: introspectionResponse,
        },
        ...clientErrors,
      },
    },
    async ({ principal: { clientId }, body: { token }, audit }): Promise<IntrospectionResponse> => {
      const accessToken = await activeTokens.findAccessToken(token);
      const active = accessToken ?? (await activeTokens.findRefreshToken(token));
      if (active?.client_id !== clientId) return { active: false };
      audit({ subject: active.service_user_id });
      return {
        active: true,
        client_id: clientId,
        sub: String(active.service_user_id ?? clientId),
        scope: active.scope,
        exp: active.expires_at,
        iss: issuer,
        ...(accessToken ? { token_type: 'Bearer' } : {}),
      };
    },
  );
}
