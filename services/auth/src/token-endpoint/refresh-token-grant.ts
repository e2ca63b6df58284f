import { mayWrite } from '@tributary/contracts';
import { badRequest } from '@tributary/service-kit';
import OAuth2Server from 'oauth2-server';
import type { Revocations } from '../revocation/revocations';
import type { RefreshTokens } from '../tokens/refresh-tokens';
import { newTokenPair } from '../tokens/token-pair';
import { type IssuedToken, type TokenRequest, invalidGrant } from './token-request';
import { requestedUserScope } from './user-scopes';

/**
 * `grant_type=refresh_token`: replaces a refresh token by a new pair (rotation with reuse detection, see
 * `RefreshTokens`).
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-6
 */
export function refreshTokenGrant(
  refreshTokens: RefreshTokens,
  revocations: Revocations,
): typeof OAuth2Server.AbstractGrantType {
  return class extends OAuth2Server.AbstractGrantType {
    async handle(request: TokenRequest, client: OAuth2Server.Client): Promise<IssuedToken> {
      const presented = request.required('refresh_token');

      const family = await refreshTokens.find(presented);
      // A token of another client is refused as an unknown one, and stays valid for its own client.
      if (!family || family.clientId !== client.id)
        throw invalidGrant('refresh_token: it is unknown, has expired or was revoked');
      if (family.status === 'reused') {
        if (!request.isAbandoned()) await revocations.onRefreshTokenReuse(family);
        throw invalidGrant('refresh_token: it has been replaced before');
      }
      const scope = requestedUserScope(request.body.scope, family.scope);
      if (mayWrite(scope) !== mayWrite(family.scope))
        throw badRequest('scope: a refresh cannot reduce it; request it with a new code', 'invalid_scope');
      if (request.isAbandoned()) throw invalidGrant('the client did not wait for the response');

      const pair = newTokenPair(presented);
      const rotation = await refreshTokens.rotate(presented, client.id, pair, request.isAbandoned);
      if (rotation.outcome === 'reused' && !request.isAbandoned())
        await revocations.onRefreshTokenReuse(rotation.family);
      if (rotation.outcome !== 'rotated')
        throw invalidGrant('refresh_token: it has expired, has been replaced before or was revoked');
      return {
        ...pair,
        scope: [family.scope],
        lifetime: rotation.lifetime,
        client,
        user: { serviceUserId: family.serviceUserId },
      };
    }
  };
}
