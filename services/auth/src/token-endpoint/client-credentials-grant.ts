import { badRequest } from '@tributary/service-kit';
import OAuth2Server from 'oauth2-server';
import type { Pool } from 'pg';
import { systemTokenLifetime } from '../tokens/lifetimes';
import { newToken, tokenHash } from '../tokens/opaque-token';
import { requestedSystemScope } from './system-scopes';
import type { IssuedToken, TokenRequest } from './token-request';

/** $1 token hash, $2 client_id, $3 scope. */
const insertToken = `
  INSERT INTO system_access_token (token_sha256, client_id, scope, expires_at)
  VALUES ($1, $2, $3, now() + interval '${systemTokenLifetime} seconds')`;

/**
 * `grant_type=client_credentials`: issues an access token for the data of all users of the client, to a client that
 * authenticated by a client assertion. There is no refresh token.
 * @see https://hl7.org/fhir/smart-app-launch/backend-services.html
 */
export function clientCredentialsGrant(pool: Pool): typeof OAuth2Server.AbstractGrantType {
  return class extends OAuth2Server.AbstractGrantType {
    async handle(request: TokenRequest, client: OAuth2Server.Client): Promise<IssuedToken> {
      if (request.client.authenticatedBy !== 'assertion')
        throw badRequest(
          'grant_type: client_credentials is supported with a client_assertion only',
          'unsupported_grant_type',
        );
      const scope = requestedSystemScope(request.body.scope);

      const accessToken = newToken();
      await pool.query({
        name: 'issue-system-token',
        text: insertToken,
        values: [tokenHash(accessToken), client.id, scope],
      });
      return { accessToken, scope: [scope], lifetime: systemTokenLifetime, client, user: {} };
    }
  };
}
