import type { AuthClient, AuthenticatedClient } from '@tributary/contracts';
import type { Request } from 'express';
import type { Authentication } from '../api/authentication';
import { hasClientHeaders } from '../api/cross-origin';
import { HttpError, badRequest } from '../api/http-error';
import type { CredentialGuard } from '../rate-limit/credential-guard';

/** The 401 of missing client credentials. */
function missingCredentials(): HttpError {
  return new HttpError('invalid_client', 'send the headers client_id and client_secret');
}

/** The 401 of wrong client credentials. */
function invalidClient(): HttpError {
  return new HttpError('invalid_client', 'client_id or client_secret is wrong');
}

/**
 * Authenticates client applications by the headers `client_id` and `client_secret` (specification, "Authentication" 2).
 * Attempts after too many failures are refused.
 * @param alsoFrom reads credentials from elsewhere when the headers hold none
 */
export function clientCredentialsAuthentication(
  { auth, guard }: { auth: Pick<AuthClient, 'authenticateClient'>; guard: CredentialGuard },
  alsoFrom?: (request: Request) => { client_id?: unknown; client_secret?: unknown },
): Authentication<AuthenticatedClient> {
  return {
    scheme: 'client',
    authenticate: async (request, requestId) => {
      const inHeaders = { client_id: request.headers['client_id'], client_secret: request.headers['client_secret'] };
      const given =
        inHeaders.client_id === undefined && inHeaders.client_secret === undefined && alsoFrom
          ? alsoFrom(request)
          : inHeaders;
      if (typeof given.client_id !== 'string' || typeof given.client_secret !== 'string') throw missingCredentials();
      const credentials = { client_id: given.client_id, client_secret: given.client_secret };
      const client = await guard.attempt(request, given.client_id, async () => {
        const found = await auth.authenticateClient(credentials, { requestId });
        // Its credentials are right: the attempt does not count as failed.
        if (found === 'disabled') throw invalidClient();
        return found;
      });
      if (!client) throw invalidClient();
      return client;
    },
  };
}

/** @throws HttpError 400 when the request has both an `Authorization` header and headers of client credentials */
export function refuseBothCredentials({ headers }: Pick<Request, 'headers'>): void {
  if (headers.authorization !== undefined && hasClientHeaders(headers))
    throw badRequest('send either a bearer token or client credentials, not both');
}
