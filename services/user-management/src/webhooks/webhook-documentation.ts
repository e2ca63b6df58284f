import { type WebhookEventType, webhookEvent } from '@tributary/contracts';
import type { Api } from '@tributary/service-kit';
import { z } from 'zod';
import { exampleEvent } from './sample-events';

const headers = z.object({
  'webhook-id': z.string().describe('Identifies the event; the same for every attempt.'),
  'webhook-timestamp': z.string().describe('The time of sending, in epoch seconds.'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and the base64 of the HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}` by the key in the secret; for a day after a rotation of the secret, two signatures separated by a space.',
    ),
});

const summaries: Record<WebhookEventType, string> = {
  'connection.active':
    'A connection works: its first collection has ended, or the first one after a failure. `complete` says whether everything was read',
  'connection.needs_reauthorization': 'The health system no longer accepts a connection: the user must connect again',
  'connection.failed':
    'A collection failed for a permanent reason; the next one follows as scheduled. During an outage of the health system the connection stays `collecting`',
  'connection.revoked':
    'The user or the client has disconnected a health system, or the time of the consent has run out. The collected resources stay',
  'collection.completed':
    'A collection has ended; with the outcome and the number of resources of each type. `complete` says whether everything was read',
  'user.deleted': 'A user was deleted, with the record. No other event of this user follows',
  'export.completed':
    'An asynchronous export has ended: of one user, or without `service_user_id` of all users of the client',
  'webhook.test': 'A test that the client requested',
};

const description =
  'Signed according to Standard Webhooks. Delivered at least once, at most eight events at a time; the events of one connection in order. Events are kept for 15 days, and can be replayed under the same `webhook-id`. `mode` is that of the client.';

const responses = {
  '2XX': { description: 'The event is accepted. The response must come within 15 seconds.' },
  410: { description: 'The endpoint wants no more events and is disabled.' },
  default: {
    description:
      'The event is sent again, with exponential backoff, for 24 hours. An endpoint that has accepted nothing for 24 hours is disabled.',
  },
};

export function describeWebhookEvents(api: Api): void {
  for (const [type, summary] of Object.entries(summaries) as [WebhookEventType, string][])
    api.describeWebhook({
      name: type,
      summary,
      description,
      headers,
      body: webhookEvent(type),
      example: exampleEvent(type),
      responses,
    });
}
