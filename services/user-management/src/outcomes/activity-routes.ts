import { activity, activityQuery, maxActivityDays } from '@tributary/contracts';
import type { Api } from '@tributary/service-kit';
import type { Dependencies } from '../dependencies';
import { readActivity } from './client-activity';

/** The route `{base_url}/connect/v1/activity`, with client credentials. */
export function serveActivity(api: Api, { database, clientAuthentication, limits }: Dependencies): void {
  api.route(
    {
      method: 'get',
      path: '/connect/v1/activity',
      operationId: 'getActivity',
      summary: 'What happened to the users of the client, in counts',
      audit: { none: 'a client reads counts, and no data of a user' },
      description: `Per day (UTC): the collections that ended, the resources that they stored, failures with their reasons, new connections, and deliveries of webhooks. The counts are kept for ${maxActivityDays} days; those of a deleted user stay. They name no user, and have no value of a record.`,
      tags: ['Activity'],
      authentication: clientAuthentication,
      limits: [limits.activity],
      query: activityQuery,
      responses: {
        200: { description: 'The counts.', schema: activity },
        400: { description: `\`days\` is no integer from 1 to ${maxActivityDays}.` },
        401: { description: 'Wrong client credentials.' },
        429: {
          description:
            'More than 300 requests of the client to this route in an hour; `Retry-After` says when to try again.',
        },
      },
    },
    ({ principal, query }) => readActivity(database, principal.client_id, query.days),
  );
}
