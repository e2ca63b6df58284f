import { z } from 'zod';
import type { CallContext, InternalHttp } from '../http/internal-http';

/** How many users a client has. */
export const clientUserCount = z.object({ users: z.int().min(0) }).meta({ id: 'ClientUserCount' });
export type ClientUserCount = z.infer<typeof clientUserCount>;

/**
 * Typed calls to the part of the internal API of user-management that operators use in the console.
 * @throws InternalCallError from every method when user-management does not respond with 2xx
 */
export class OperatorConnectionsClient {
  constructor(private readonly http: InternalHttp) {}

  countUsers(clientId: string, context: CallContext = {}): Promise<ClientUserCount> {
    const path = `/internal/v1/operator/clients/${encodeURIComponent(clientId)}/users`;
    return this.http.call({ method: 'GET', path, response: clientUserCount, ...context });
  }
}
