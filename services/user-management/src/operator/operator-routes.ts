import { clientId, clientUserCount } from '@tributary/contracts';
import { type Api, serviceKeyAuthentication } from '@tributary/service-kit';
import { z } from 'zod';
import type { Dependencies } from '../dependencies';

/** The internal API for operators in the console: what their commands do, without data of users. */
export function serveOperator(api: Api, { config, users }: Dependencies): void {
  const common = {
    authentication: serviceKeyAuthentication(config.SERVICE_KEYS, ['console']),
    audit: { none: 'the console records what an operator reads, which is no data of a user' },
  } as const;

  api.route(
    {
      ...common,
      method: 'get',
      path: '/internal/v1/operator/clients/{client_id}/users',
      operationId: 'operatorCountUsers',
      summary: 'How many users a client application has',
      params: z.object({ client_id: clientId }),
      responses: { 200: { description: 'The number.', schema: clientUserCount } },
    },
    async ({ params }) => ({ users: await users.count(params.client_id) }),
  );
}
