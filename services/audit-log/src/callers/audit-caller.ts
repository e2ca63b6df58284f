import { type AuthClient, readSystemScope } from '@tributary/contracts';
import {
  type AccessTokens,
  type Authentication,
  type CredentialGuard,
  HttpError,
  bearerChallenge,
  bearerTokenOf,
  clientCredentialsAuthentication,
  hasClientHeaders,
  insufficientScope,
  refuseBothCredentials,
} from '@tributary/service-kit';

/** Who reads audit events: a user those of the own record, a client those of all of its users. */
export interface AuditCaller {
  clientId: string;
  /** Absent when a client reads. */
  serviceUserId?: number;
}

/** The resource type that the scope of a client's token must cover. */
const resourceType = 'AuditEvent';

/**
 * Authenticates a caller by the bearer token of a user, by the bearer token of a client whose scope covers AuditEvent
 * (SMART Backend Services), or by the headers client_id and client_secret.
 */
export function auditCaller(
  tokens: AccessTokens,
  auth: AuthClient,
  guard: CredentialGuard,
): Authentication<AuditCaller> {
  const client = clientCredentialsAuthentication({ auth, guard });
  return {
    scheme: 'bearer-or-client',
    authenticate: async (request, requestId) => {
      refuseBothCredentials(request);
      if (hasClientHeaders(request.headers)) {
        try {
          return { clientId: (await client.authenticate(request, requestId)).client_id };
        } catch (error) {
          throw error instanceof HttpError && error.status === 401 ? withChallenge(error) : error;
        }
      }
      const token = bearerTokenOf(request);
      if (token === undefined) throw withChallenge(missingCredentials());
      const live = await tokens.resolve(token, requestId, request);
      if (live?.service_user_id !== undefined) return { clientId: live.client_id, serviceUserId: live.service_user_id };
      const access = live && readSystemScope(live.scope);
      if (!access) throw bearerChallenge(true);
      if (access.types?.includes(resourceType) === false)
        throw insufficientScope(`the scope of the access token does not cover ${resourceType}`);
      return { clientId: live.client_id };
    },
  };
}

function missingCredentials(): HttpError {
  return new HttpError(
    'missing_token',
    'send Authorization: Bearer <ACCESS_TOKEN>, or the headers client_id and client_secret',
  );
}

/** A 401 must have a challenge (RFC 9110, section 15.5.2), and no scheme exists for the headers of clients. */
function withChallenge({ errorCode, message }: HttpError): HttpError {
  return new HttpError(errorCode, message, bearerChallenge(false).headers);
}
