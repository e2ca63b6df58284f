import type { AuthClient } from '@tributary/contracts';
import type { ExportScope } from '@tributary/record-storage';
import { type AccessTokens, type Authentication, HttpError, badRequest, clientCredentialsIn, userToken } from '@tributary/service-kit';
import type { Request } from 'express';

/** Who asks for an export, and whose data they get. */
export interface ExportCaller {
  clientId: string;
  /** Absent when the client asks for all of its users. */
  serviceUserId?: number;
}

/** The header that asks for all users of the client, by the literal value `client`. */
export const allUsersHeader = 'x-service-user-id';

/**
 * Knows callers by a user's bearer token, or by client_id, client_secret and x-service-user-id (specification, "Authentication" 6);
 * never by both.
 */
export function exportCaller(tokens: AccessTokens, auth: AuthClient): Authentication<ExportCaller> {
  const user = userToken(tokens);
  const client = clientCredentialsIn(auth);
  return {
    scheme: 'bearer-or-client',
    authenticate: async (request, requestId) => {
      if (!hasClientHeaders(request)) return user.authenticate(request, requestId);
      if (request.headers.authorization !== undefined) throw badRequest('send either a bearer token or client credentials, not both');
      if (request.headers[allUsersHeader] !== 'client') throw badRequest(`${allUsersHeader} must be the word client beside client credentials`);
      const { client_id: clientId } = await client.authenticate(request, requestId);
      return { clientId };
    },
  };
}

/** Whose data the caller's exports hold. */
export function scopeOf({ clientId, serviceUserId }: ExportCaller): ExportScope {
  return serviceUserId === undefined ? { clientId } : { userId: serviceUserId };
}

/** What an asynchronous export or a file is for is nobody else's: to them it does not exist. */
export function notFound(what: string): HttpError {
  return new HttpError(404, 'not_found', `there is no such ${what}`);
}

function hasClientHeaders({ headers }: Request): boolean {
  return ['client_id', 'client_secret', allUsersHeader].some((name) => headers[name] !== undefined);
}
