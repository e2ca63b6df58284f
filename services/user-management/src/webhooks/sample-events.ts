import {
  type ClientMode,
  type WebhookEventData,
  type WebhookEventType,
  exampleValues,
  webhookEventTypes,
} from '@tributary/contracts';
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

/** The event of a type in the OpenAPI document; undefined for `webhook.test`. */
export function exampleEvent(type: WebhookEventType): object | undefined {
  return type === 'webhook.test'
    ? undefined
    : { type, timestamp: '2026-01-31T12:00:00.000Z', mode: 'live', data: samples[type] };
}

/** The bodies of sample events, one of each type, or of the given type only. The ids are those of the documentation. */
export function sampleEvents(mode: ClientMode, only?: string): { type: string; body: string }[] {
  return webhookEventTypes
    .filter((type) => only === undefined || type === only)
    .map((type) => ({ type, body: eventBody(type, mode, samples[type]) }));
}
