import { type WebhookEventType, webhookEvent } from '@tributary/contracts';
import type { Api } from '@tributary/service-kit';
import { z } from 'zod';

const headers = z.object({
  'webhook-id': z.string().describe('Identifies the event; the same whenever it is sent again.'),
  'webhook-timestamp': z.string().describe('The second at which it is sent, since 1970.'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and the base64 of the HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}` by the key in the secret; two of them, parted by a space, for a day after the secret was rotated.',
    ),
});

const summaries: Record<WebhookEventType, string> = {
  'connection.active': 'A connection works: its first collection is complete, or the first after trouble',
  'connection.needs_reauthorization': 'The health system no longer accepts a connection: the user must connect again',
  'connection.failed':
    'A collection failed for a lasting reason; it is tried again on the next day. An outage of the health system is none: the connection stays `collecting`',
  'collection.completed': 'A collection is complete, with how many resources of each type it brought',
  'webhook.test': 'What the client asked for, to test its endpoint',
};

const description =
  'Signed as Standard Webhooks prescribes. Sent at least once, at most eight at a time; those of one connection in their order.';

const responses = {
  '2XX': { description: 'The event is taken. Answer within 15 seconds.' },
  410: { description: 'The endpoint wants no more events, and is disabled.' },
  default: {
    description:
      'The event is sent again, with growing pauses for 24 hours. Then it is given up; an endpoint that has accepted nothing for 24 hours is disabled.',
  },
};

/** Adds the events that clients receive to the OpenAPI document. */
export function describeWebhookEvents(api: Api): void {
  for (const [type, summary] of Object.entries(summaries) as [WebhookEventType, string][])
    api.describeWebhook({ name: type, summary, description, headers, body: webhookEvent(type), responses });
}
