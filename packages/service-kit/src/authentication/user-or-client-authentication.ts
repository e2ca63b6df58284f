import { type AuthClient, type ErrorCode, readSystemScope } from '@tributary/contracts';
import type { Request } from 'express';
import type { Authentication } from '../api/authentication';
import { hasClientHeaders } from '../api/cross-origin';
import { HttpError } from '../api/http-error';
import type { CredentialGuard } from '../rate-limit/credential-guard';
import type { AccessTokens } from './access-tokens';
import { clientCredentialsAuthentication, refuseBothCredentials } from './client-authentication';
import { bearerChallenge, bearerTokenOf } from './user-authentication';

/** A user, or a client that reads the data of all of its users. */
export interface UserOrClient {
  clientId: string;
  /** Absent when a client reads. */
  serviceUserId?: number;
  /** The resource types that the scope of the client's token is limited to. */
  types?: readonly string[];
  /** Who acts for the client by a temporary secret, or a token that it gave. */
  developer?: string;
}

/**
 * Authenticates a caller by the bearer token of a user, by the bearer token of a client (SMART Backend Services,
 * https://hl7.org/fhir/smart-app-launch/backend-services.html), or by the headers client_id and client_secret. A token
 * together with these headers is rejected.
 * @param clientHeaders the headers of a client, for the message to a caller without credentials
 * @param checkHeaders is called before the credentials of a client are verified
 */
export function userOrClientAuthentication(
  { tokens, ...credentials }: { tokens: AccessTokens; auth: AuthClient; guard: CredentialGuard },
  clientHeaders: string,
  checkHeaders?: (headers: Request['headers']) => void,
): Authentication<UserOrClient> {
  const client = clientCredentialsAuthentication(credentials);
  return {
    scheme: 'bearer-or-client',
    authenticate: async (request, requestId) => {
      refuseBothCredentials(request);
      if (hasClientHeaders(request.headers)) {
        checkHeaders?.(request.headers);
        try {
          const { client_id: clientId, developer } = await client.authenticate(request, requestId);
          return { clientId, ...(developer === undefined ? {} : { developer }) };
        } catch (error) {
          throw error instanceof HttpError && error.status === 401
            ? unauthenticated(error.errorCode, error.message)
            : error;
        }
      }
      const token = bearerTokenOf(request);
      if (token === undefined)
        throw unauthenticated('missing_token', `send Authorization: Bearer <ACCESS_TOKEN>, or ${clientHeaders}`);
      const live = await tokens.resolve(token, requestId, request);
      if (live?.service_user_id !== undefined)
        return {
          clientId: live.client_id,
          serviceUserId: live.service_user_id,
          ...(live.developer === undefined ? {} : { developer: live.developer }),
        };
      const access = live && readSystemScope(live.scope);
      if (!access) throw bearerChallenge(true);
      return { clientId: live.client_id, ...access };
    },
  };
}

/**
 * A 401 with the `Bearer` challenge. A 401 must have a challenge (RFC 9110, section 15.5.2), and no scheme exists for
 * the headers client_id and client_secret.
 */
export function unauthenticated(errorCode: ErrorCode, message: string): HttpError {
  return new HttpError(errorCode, message, bearerChallenge(false).headers);
}
