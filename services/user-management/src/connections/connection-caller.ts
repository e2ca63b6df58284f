import { type AuthenticatedClient, serviceUserIdText } from '@tributary/contracts';
import {
  type AccessTokens,
  type Authentication,
  accessTokenAuthentication,
  assertMayWrite,
  badRequest,
  hasClientHeaders,
  refuseBothCredentials,
} from '@tributary/service-kit';
import { z } from 'zod';
import { userNotFound } from '../users/user-errors';
import type { Users } from '../users/users';

/** Who sent a request: a user, or a client that acts for the user of the query. */
export type ConnectionCaller =
  | { by: 'user'; serviceUserId: number; clientId: string }
  | { by: 'client'; clientId: string; developer?: string };

/** The user whose connections a request is about, and who sent it. */
export interface ConnectionUser {
  by: ConnectionCaller['by'];
  serviceUserId: number;
  clientId: string;
  /** An inactive user has no token that works, so only a client can act for one. */
  isActive: boolean;
}

/** The query with client credentials; a bearer token names its user itself. */
export const userOfClient = z.object({
  service_user_id: serviceUserIdText
    .optional()
    .describe('With client credentials: the user whose connections are meant. Not with a bearer token.'),
});

/**
 * Authenticates the bearer token of a user, or a client by the headers client_id and client_secret. The two are not
 * combined. A request that changes something needs a token whose scope allows that.
 */
export function connectionCaller(
  accessTokens: AccessTokens,
  client: Authentication<AuthenticatedClient>,
): Authentication<ConnectionCaller> {
  const user = accessTokenAuthentication(accessTokens);
  return {
    scheme: 'user-or-client',
    authenticate: async (request, requestId) => {
      refuseBothCredentials(request);
      if (!hasClientHeaders(request.headers)) {
        const caller = await user.authenticate(request, requestId);
        if (request.method !== 'GET' && request.method !== 'HEAD') assertMayWrite(caller);
        return { by: 'user', serviceUserId: caller.serviceUserId, clientId: caller.clientId };
      }
      const { client_id: clientId, developer } = await client.authenticate(request, requestId);
      return { by: 'client', clientId, ...(developer === undefined ? {} : { developer }) };
    },
  };
}

/**
 * The user of a bearer token, or the user of the client that the query names.
 * @throws HttpError 400 when the query names a user beside a bearer token, or none with client credentials; 404 when
 * the client has no such user
 */
export async function connectionUser(
  users: Users,
  caller: ConnectionCaller,
  { service_user_id: serviceUserId }: z.output<typeof userOfClient>,
): Promise<ConnectionUser> {
  if (caller.by === 'user') {
    if (serviceUserId !== undefined) throw badRequest('service_user_id: a bearer token names its user itself');
    return { ...caller, isActive: true };
  }
  if (serviceUserId === undefined) throw badRequest('service_user_id is missing');
  const found = await users.find(caller.clientId, { serviceUserId });
  if (!found) throw userNotFound();
  return { by: 'client', serviceUserId, clientId: caller.clientId, isActive: found.state === 'active' };
}
