import { type Api, ofLimit, serveUsage } from '@tributary/service-kit';
import type { Dependencies } from './dependencies';
import { maxEndpointsPerClient } from './webhooks/webhook-endpoints';

/** Serves a client its use of the limits of users, connections and webhooks. */
export function serveUserUsage(api: Api, { clientAuthentication, limits, webhookEndpoints }: Dependencies): void {
  serveUsage(api, {
    path: '/user-management/v1/usage',
    operationId: 'readUsage',
    subject: 'users, connections and webhooks',
    tags: ['Limits'],
    authentication: clientAuthentication,
    rateLimits: limits.all,
    limits: [
      ...ofLimit(limits.users, { description: 'Requests of a client to the routes of users, in a rolling hour.' }),
      ...ofLimit(limits.webhooks, {
        description: 'Requests of a client to the routes of webhooks, in a rolling hour.',
      }),
      ...ofLimit(limits.activity, { description: 'Requests of a client for its activity, in a rolling hour.' }),
      ...ofLimit(limits.webhookTests),
      ...ofLimit(limits.connectionsOfClient),
      ...ofLimit(limits.refreshOfClient),
      {
        name: 'webhook-endpoints',
        description: 'Webhook endpoints of a client.',
        quota: maxEndpointsPerClient,
        read: async (clientId) => ({
          remaining: Math.max(0, maxEndpointsPerClient - (await webhookEndpoints.count(clientId))),
        }),
      },
    ],
  });
}
