import type { ExportScope } from '@tributary/record-storage';
import {
  type Authentication,
  HttpError,
  type RequestLimit,
  type RouteLimit,
  type UserOrClient,
  badRequest,
  insufficientScope,
  limitCallers,
  unauthenticated,
  userOrClientAuthentication,
} from '@tributary/service-kit';
import { z } from 'zod';
import type { ExportRequest } from '../requests/export-request';

/** Who requests an export, and whose data the export contains: of one user, or of all users of the client. */
export type ExportCaller = UserOrClient;

/** The header whose literal value `client` requests all users of the client. */
const allUsersHeader = 'x-service-user-id';
/** The header in the documentation. */
export const allUsers = z
  .literal('client')
  .optional()
  .describe('Beside client_id and client_secret: all users of the client.');
const clientHeaders = `the headers client_id, client_secret and ${allUsersHeader}: client`;

/** Authenticates a caller; client credentials need x-service-user-id (specification, "Authentication" 6). */
export function exportCaller(
  credentials: Parameters<typeof userOrClientAuthentication>[0],
): Authentication<ExportCaller> {
  const { scheme, authenticate } = userOrClientAuthentication(credentials, clientHeaders, (headers) => {
    if (headers[allUsersHeader] !== 'client')
      throw badRequest(`${allUsersHeader} must be client when client credentials are sent`);
  });
  return {
    scheme,
    authenticate: async (request, requestId) => {
      if (/^Basic(?: |$)/i.test(request.headers.authorization ?? ''))
        throw unauthenticated('invalid_client', `HTTP Basic is not supported: send ${clientHeaders}`);
      return authenticate(request, requestId);
    },
  };
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
  return limitCallers<ExportCaller>([{ limit, keyOf: limitKeyOf }]);
}

/** The key by which the limits count the requests of a caller. */
export function limitKeyOf({ clientId, serviceUserId }: ExportCaller): string {
  return `${clientId}:${serviceUserId ?? 'all'}`;
}

/** The users whose data the exports of the caller contain. */
export function scopeOf({ clientId, serviceUserId }: ExportCaller): ExportScope {
  return serviceUserId === undefined ? { clientId } : { userId: serviceUserId };
}

/** The 404 for an export or file that does not exist or belongs to another caller. */
export function notFound(what: string): HttpError {
  return new HttpError('not_found', `there is no such ${what}`);
}
