import { type AuthClient, serviceUserIdText } from '@tributary/contracts';
import {
  type AccessTokens,
  type Authentication,
  accessTokenAuthentication,
  badRequest,
  clientCredentialsAuthentication,
} from '@tributary/service-kit';
import type { Request } from 'express';
import { z } from 'zod';
import { userNotFound } from '../users/user-errors';
import type { Users } from '../users/users';

/** The user whose connections a request is about, and who sent it. */
export interface ConnectionCaller {
  by: 'user' | 'client';
  serviceUserId: number;
  /** An inactive user has no token that works, so only a client can act for one. */
  isActive: boolean;
}

export interface ConnectionCallerDependencies {
  accessTokens: AccessTokens;
  auth: AuthClient;
  users: Users;
}

/** The query with client credentials; a bearer token names its user itself. */
export const userOfClient = z.object({
  service_user_id: serviceUserIdText
    .optional()
    .describe('With client credentials: the user whose connections are meant. Not with a bearer token.'),
});

/**
 * Authenticates the bearer token of a user; or a client by the headers client_id and client_secret, which acts for the
 * user of the query parameter `service_user_id`. The two are not combined.
 */
export function connectionCaller({
  accessTokens,
  auth,
  users,
}: ConnectionCallerDependencies): Authentication<ConnectionCaller> {
  const user = accessTokenAuthentication(accessTokens);
  const client = clientCredentialsAuthentication(auth);
  return {
    scheme: 'bearer-or-client',
    authenticate: async (request, requestId) => {
      const given = request.query['service_user_id'];
      if (!hasClientHeaders(request)) {
        const { serviceUserId } = await user.authenticate(request, requestId);
        if (given !== undefined) throw badRequest('service_user_id: a bearer token names its user itself');
        return { by: 'user', serviceUserId, isActive: true };
      }
      if (request.headers.authorization !== undefined)
        throw badRequest('send either a bearer token or client credentials, not both');
      const { client_id: clientId } = await client.authenticate(request, requestId);
      if (given === undefined) throw badRequest('service_user_id is missing');
      const serviceUserId = serviceUserIdText.safeParse(given);
      if (!serviceUserId.success) throw badRequest('service_user_id: must be a positive integer');
      const found = await users.find(clientId, { serviceUserId: serviceUserId.data });
      if (!found) throw userNotFound();
      return { by: 'client', serviceUserId: found.serviceUserId, isActive: found.state === 'active' };
    },
  };
}

function hasClientHeaders({ headers }: Request): boolean {
  return headers['client_id'] !== undefined || headers['client_secret'] !== undefined;
}
