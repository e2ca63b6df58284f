import { type LiveToken, type IntrospectionResponse, introspectionResponse } from '@tributary/contracts';
import type { Api, Authentication } from '@tributary/service-kit';
import type { LiveTokens } from '../tokens/live-tokens';
import { clientErrors, tokenParameters } from './parameters';
import type { RequestingClient } from './requesting-client';

/** `POST /oauth2/introspect` (RFC 7662); a client learns of its own tokens only. */
export function serveIntrospection(
  api: Api,
  client: Authentication<RequestingClient>,
  liveTokens: LiveTokens,
  issuer: string,
): Api {
  return api.route(
    {
      method: 'post',
      path: '/oauth2/introspect',
      operationId: 'introspectToken',
      summary: 'What a token stands for',
      tags: ['tokens'],
      authentication: client,
      body: tokenParameters,
      responses: {
        200: {
          description: 'The token; `active` is false when it is unknown, has ended or belongs to another client.',
          schema: introspectionResponse,
        },
        ...clientErrors,
      },
    },
    async ({ principal: { clientId }, body: { token } }): Promise<IntrospectionResponse> => {
      const accessToken = await liveTokens.accessToken(token);
      const live = accessToken ?? (await liveTokens.refreshToken(token));
      if (live?.client_id !== clientId) return { active: false };
      return { ...description(live, issuer), ...(accessToken ? { token_type: 'Bearer' as const } : {}) };
    },
  );
}

function description(live: LiveToken, issuer: string): IntrospectionResponse & { active: true } {
  return {
    active: true,
    client_id: live.client_id,
    sub: String(live.service_user_id ?? live.client_id),
    scope: live.scope,
    exp: live.expires_at,
    iss: issuer,
  };
}
