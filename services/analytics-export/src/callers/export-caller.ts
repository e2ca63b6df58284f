import { type AuthClient, type ErrorCode, readSystemScope } from '@tributary/contracts';
import type { ExportScope } from '@tributary/record-storage';
import {
  type AccessTokens,
  type Authentication,
  type CredentialGuard,
  HttpError,
  type RequestLimit,
  type RouteLimit,
  badRequest,
  bearerChallenge,
  bearerTokenOf,
  clientCredentialsAuthentication,
  hasClientHeaders,
  insufficientScope,
  limitCallers,
  refuseBothCredentials,
} from '@tributary/service-kit';
import type { Request } from 'express';
import type { ExportRequest } from '../requests/export-request';

/** The client that requests an export, and whose data the export contains. */
export interface ExportCaller {
  clientId: string;
  /** Absent when the export covers all users of the client. */
  serviceUserId?: number;
  /** The resource types that the scope of the token is limited to. */
  types?: readonly string[];
}

/** The header whose literal value `client` requests all users of the client. */
const allUsersHeader = 'x-service-user-id';
const clientHeaders = `the headers client_id, client_secret and ${allUsersHeader}: client`;

/**
 * Authenticates a caller by the bearer token of a user, by the bearer token of a client (SMART Backend Services,
 * https://hl7.org/fhir/smart-app-launch/backend-services.html), or by the headers client_id, client_secret and
 * x-service-user-id (specification, "Authentication" 6). A token together with these headers is rejected.
 */
export function exportCaller(
  tokens: AccessTokens,
  auth: AuthClient,
  guard: CredentialGuard,
): Authentication<ExportCaller> {
  const client = clientCredentialsAuthentication({ auth, guard });
  return {
    scheme: 'bearer-or-client',
    authenticate: async (request, requestId) => {
      if (/^Basic(?: |$)/i.test(request.headers.authorization ?? ''))
        throw unauthenticated('invalid_client', `HTTP Basic is not supported: send ${clientHeaders}`);
      refuseBothCredentials(request);
      if (!hasClientHeaders(request.headers)) return bearer(request, tokens, requestId);
      if (request.headers[allUsersHeader] !== 'client')
        throw badRequest(`${allUsersHeader} must be client when client credentials are sent`);
      try {
        const { client_id: clientId } = await client.authenticate(request, requestId);
        return { clientId };
      } catch (error) {
        throw error instanceof HttpError && error.status === 401
          ? unauthenticated(error.errorCode, error.message)
          : error;
      }
    },
  };
}

/**
 * A 401 with the `Bearer` challenge. A 401 must have a challenge (RFC 9110, section 15.5.2), and no scheme exists for
 * the headers client_id and client_secret.
 */
function unauthenticated(errorCode: ErrorCode, message: string): HttpError {
  return new HttpError(errorCode, message, bearerChallenge(false).headers);
}

/** Authenticates a user, or a client whose token has a `system/` scope. */
async function bearer(request: Request, tokens: AccessTokens, requestId: string): Promise<ExportCaller> {
  const token = bearerTokenOf(request);
  if (token === undefined)
    throw unauthenticated('missing_token', `send Authorization: Bearer <ACCESS_TOKEN>, or ${clientHeaders}`);
  const live = await tokens.resolve(token, requestId, request);
  if (live?.service_user_id !== undefined) return { clientId: live.client_id, serviceUserId: live.service_user_id };
  const access = live && readSystemScope(live.scope);
  if (!access) throw bearerChallenge(true);
  return { clientId: live.client_id, ...access };
}

/** Whether the caller's token covers these types; undefined means all types. */
export function coversTypes({ types: covered }: ExportCaller, types: readonly string[] | undefined): boolean {
  return covered === undefined || (types?.every((type) => covered.includes(type)) ?? false);
}

/**
 * Limits a request without `_type` to the types of the caller's scope.
 * @throws HttpError 403 when `_type` names a type that the scope does not cover
 */
export function withinScope(caller: ExportCaller, request: ExportRequest): ExportRequest {
  const types = request.types ?? caller.types;
  if (!coversTypes(caller, types)) {
    throw insufficientScope('_type: the scope of the access token does not cover all of these types');
  }
  return { ...request, ...(types ? { types } : {}) };
}

/** Limits the requests of each user, and of each client that acts for all of its users. */
export function limitExportCallers(limit: RequestLimit | undefined): RouteLimit[] {
  return limitCallers<ExportCaller>([
    { limit, keyOf: ({ clientId, serviceUserId }) => `${clientId}:${serviceUserId ?? 'all'}` },
  ]);
}

/** The users whose data the exports of the caller contain. */
export function scopeOf({ clientId, serviceUserId }: ExportCaller): ExportScope {
  return serviceUserId === undefined ? { clientId } : { userId: serviceUserId };
}

/** The 404 for an export or file that does not exist or belongs to another caller. */
export function notFound(what: string): HttpError {
  return new HttpError('not_found', `there is no such ${what}`);
}
