import { type AuthClient, readSystemScope } from '@tributary/contracts';
import type { ExportScope } from '@tributary/record-storage';
import {
  type AccessTokens,
  type Authentication,
  HttpError,
  badRequest,
  bearerChallenge,
  bearerTokenOf,
  clientCredentialsAuthentication,
} from '@tributary/service-kit';
import type { Request } from 'express';
import type { ExportRequest } from '../requests/export-request';

/** Who asks for an export, and whose data they get. */
export interface ExportCaller {
  clientId: string;
  /** Absent when the client asks for all of its users. */
  serviceUserId?: number;
  /** The resource types that the scope of their token is limited to. */
  types?: readonly string[];
}

/** The header that asks for all users of the client, by the literal value `client`. */
const allUsersHeader = 'x-service-user-id';

/**
 * Knows callers by a user's bearer token, by the client's own (SMART Backend Services), or by client_id, client_secret and x-service-user-id (specification, "Authentication" 6);
 * never by a token and these headers.
 */
export function exportCaller(tokens: AccessTokens, auth: AuthClient): Authentication<ExportCaller> {
  const client = clientCredentialsAuthentication(auth);
  return {
    scheme: 'bearer-or-client',
    authenticate: async (request, requestId) => {
      if (!hasClientHeaders(request)) return bearer(request, tokens, requestId);
      if (request.headers.authorization !== undefined)
        throw badRequest('send either a bearer token or client credentials, not both');
      if (request.headers[allUsersHeader] !== 'client')
        throw badRequest(`${allUsersHeader} must be the word client beside client credentials`);
      try {
        const { client_id: clientId } = await client.authenticate(request, requestId);
        return { clientId };
      } catch (error) {
        throw error instanceof HttpError && error.status === 401 ? withChallenge(error) : error;
      }
    },
  };
}

/** A 401 names a scheme that would do (RFC 9110, section 15.5.2), also where the credentials that failed have no name among schemes. */
function withChallenge({ status, errorCode, message }: HttpError): HttpError {
  return new HttpError(status, errorCode, message, bearerChallenge(false).headers);
}

/** A user, or a client whose token has a scope for systems. */
async function bearer(request: Request, tokens: AccessTokens, requestId: string): Promise<ExportCaller> {
  const token = bearerTokenOf(request);
  if (token === undefined) throw bearerChallenge(false);
  const live = await tokens.resolve(token, requestId);
  if (live?.service_user_id !== undefined) return { clientId: live.client_id, serviceUserId: live.service_user_id };
  const access = live && readSystemScope(live.scope);
  if (!access) throw bearerChallenge(true);
  return { clientId: live.client_id, ...access };
}

/** Whether the caller's token covers these types, where absent means all. */
export function coversTypes({ types: covered }: ExportCaller, types: readonly string[] | undefined): boolean {
  return covered === undefined || (types?.every((type) => covered.includes(type)) ?? false);
}

/**
 * What the caller's token covers of a request: without `_type`, the types of its scope.
 * @throws HttpError 403 for a type that was asked for by name and is not covered
 */
export function withinScope(caller: ExportCaller, request: ExportRequest): ExportRequest {
  const types = request.types ?? caller.types;
  if (!coversTypes(caller, types)) {
    throw new HttpError(
      403,
      'insufficient_scope',
      '_type: the scope of the access token does not cover all of these types',
      { 'WWW-Authenticate': 'Bearer realm="tributary", error="insufficient_scope"' },
    );
  }
  return { ...request, ...(types ? { types } : {}) };
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
