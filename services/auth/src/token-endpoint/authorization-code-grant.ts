import OAuth2Server from 'oauth2-server';
import type { Revocations } from '../revocation/revocations';
import type { AuthorizationCodes } from '../tokens/authorization-codes';
import { accessTokenLifetime } from '../tokens/lifetimes';
import { newTokenPair } from '../tokens/token-pair';
import { type IssuedToken, type TokenRequest, invalidGrant } from './token-request';
import { requestedUserScope } from './user-scopes';

/**
 * `grant_type=authorization_code`: exchanges a code for the first token pair of its family.
 *
 * There is no `redirect_uri` to compare and no `code_challenge` to verify, because user management requests the code
 * over the internal API and no redirect leads to it.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3
 */
export function authorizationCodeGrant(
  codes: AuthorizationCodes,
  revocations: Revocations,
): typeof OAuth2Server.AbstractGrantType {
  return class extends OAuth2Server.AbstractGrantType {
    async handle(request: TokenRequest, client: OAuth2Server.Client): Promise<IssuedToken> {
      const presented = request.required('code');

      const code = await codes.find(presented);
      // A code of another client is refused and stays valid for its own client.
      if (!code || code.clientId !== client.id) throw invalidGrant('code: it is unknown, has expired or was revoked');
      if (code.isUsed) {
        if (!request.isAbandoned()) await revocations.onCodeReplay(presented, client.id);
        throw invalidGrant('code: it has been used before');
      }
      // A verifier without a challenge is refused, or PKCE could be removed from a request (RFC 9700, section 2.1.1).
      if (request.body.code_verifier !== undefined)
        throw invalidGrant('code_verifier: leave it out, codes of this server have no code_challenge');
      const scope = requestedUserScope(request.body.scope, code.scope);
      if (request.isAbandoned()) throw invalidGrant('the client did not wait for the response');

      const pair = newTokenPair();
      if (!(await codes.redeem(presented, request.client, pair, scope))) {
        // A concurrent request has used the code since it was found.
        if (!request.isAbandoned()) await revocations.onCodeReplay(presented, client.id);
        throw invalidGrant('code: it has expired, has been used before or was revoked');
      }
      return {
        ...pair,
        scope: [scope],
        lifetime: accessTokenLifetime,
        client,
        user: { serviceUserId: code.serviceUserId },
      };
    }
  };
}
