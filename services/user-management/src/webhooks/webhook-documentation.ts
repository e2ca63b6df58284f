import {
  type ClientMode,
  type WebhookEventData,
  type WebhookEventType,
  exampleValues,
  webhookEvent,
  webhookEventTypes,
} from '@tributary/contracts';
import type { Api } from '@tributary/service-kit';
import { z } from 'zod';
import { eventBody } from './webhook-outbox';

const { service_user_id, connection_id, health_system_id, export_id } = exampleValues;
const connection = { service_user_id, connection_id, health_system_id, fhirVersion: 'r4' as const };
const incomplete = {
  complete: false,
  warnings: [{ code: 'search_refused' as const, type: 'Condition', message: 'the health system refused Condition' }],
  warnings_omitted: 0,
};
const counts = { fetched: 12, stored: 12, unchanged: 0, failed: 0, created: 12, deleted: 0 };

const samples: { [Type in Exclude<WebhookEventType, 'webhook.test'>]: WebhookEventData<Type> } = {
  'connection.active': { ...connection, complete: true, warnings: [], warnings_omitted: 0 },
  'connection.needs_reauthorization': connection,
  'connection.failed': {
    ...connection,
    error: { code: 'patient_refused', message: 'the health system refused to give the patient' },
  },
  'connection.revoked': { ...connection, revoked_by: 'user' },
  'collection.completed': {
    ...connection,
    ...incomplete,
    types: [
      { type: 'Patient', outcome: 'complete', ...counts, fetched: 1, stored: 1, created: 1 },
      { type: 'Observation', outcome: 'complete', ...counts },
      { type: 'Condition', outcome: 'refused', ...counts, fetched: 0, stored: 0, created: 0 },
    ],
  },
  'user.deleted': { service_user_id },
  'export.completed': { job_id: export_id, transaction_time: '2026-01-31T12:00:00.000Z', outcome: 'completed' },
};

/** The bodies of sample events, one of each type, or of the given type only. The ids are those of the documentation. */
export function sampleEvents(mode: ClientMode, only?: string): { type: string; body: string }[] {
  return webhookEventTypes
    .filter((type) => only === undefined || type === only)
    .map((type) => ({ type, body: eventBody(type, mode, samples[type]) }));
}

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
      example:
        type === 'webhook.test'
          ? undefined
          : { type, timestamp: '2026-01-31T12:00:00.000Z', mode: 'live', data: samples[type] },
      responses,
    });
}
