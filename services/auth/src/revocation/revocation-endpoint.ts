import { exampleValues } from '@tributary/contracts';
import { type Api, badRequest } from '@tributary/service-kit';
import { z } from 'zod';
import type { ClientEndpoint } from '../client-authentication/client-authentication';
import { clientErrors, formOrJson, tokenParameters } from '../client-authentication/parameters';
import type { ActiveTokens } from '../introspection/active-tokens';
import type { Revocations } from './revocations';

/**
 * `POST /oauth2/revoke`.
 * @see https://www.rfc-editor.org/rfc/rfc7009
 */
export function serveRevocation(
  api: Api,
  endpoint: ClientEndpoint,
  revocations: Revocations,
  activeTokens: ActiveTokens,
): Api {
  return api.route(
    {
      method: 'post',
      path: '/oauth2/revoke',
      operationId: 'revokeToken',
      summary: 'Revoke a token',
      description:
        'An access token is revoked alone; a refresh token is revoked with every token that descends from the same code. The response is 200 also for unknown and expired tokens.',
      tags: ['Tokens'],
      ...endpoint,
      audit: { kind: 'token.revoked', action: 'D' },
      body: tokenParameters,
      bodyTypes: formOrJson,
      example: {
        body: {
          client_id: exampleValues.client_id,
          client_secret: exampleValues.client_secret,
          token: exampleValues.refresh_token,
        },
      },
      responses: {
        200: {
          description: 'The token is revoked, and every service knows it. The object is empty.',
          schema: z.strictObject({}).meta({ id: 'Revoked' }),
        },
        ...clientErrors,
        400: {
          description: 'The request is malformed, or the token is of another client.',
          codes: ['invalid_request', 'invalid_grant'],
        },
      },
    },
    async ({ principal: { clientId }, body: { token } }): Promise<Record<string, never>> => {
      const revoked = await revocations.revokeToken(token, clientId);
      if (!revoked && (await isOfAnotherClient(token, clientId, activeTokens)))
        throw badRequest('token: it was issued to another client', 'invalid_grant');
      // RFC 7009 leaves the body open. Clients that parse every response as JSON fail on an empty one.
      return {};
    },
  );
}

async function isOfAnotherClient(token: string, clientId: string, activeTokens: ActiveTokens): Promise<boolean> {
  const owner = await activeTokens.findClientOf(token);
  return owner !== undefined && owner !== clientId;
}
