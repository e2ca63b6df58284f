import { randomUUID } from 'node:crypto';
import type { FhirVersion, WebhookEventData, WebhookEventType } from '@tributary/contracts';
import type { EntityManager } from 'typeorm';
import type { AnnouncedStatus } from '../connections/connection';

export type ConnectionEventType = Exclude<WebhookEventType, 'webhook.test'>;

/** The columns of a connection that its events are made of. */
export interface AnnouncedColumns {
  connection_id: string;
  client_id: string;
  service_user_id: string;
  health_system_id: string;
  fhir_version: FhirVersion;
  last_announced_status: AnnouncedStatus | null;
}

/** `AnnouncedColumns` for the select list of a query on `connection c`. */
export const announcedColumns =
  'c.connection_id, c.client_id, c.service_user_id, c.health_system_id, c.fhir_version, c.last_announced_status';

type ExtraData<Type extends ConnectionEventType> = Omit<
  WebhookEventData<Type>,
  keyof WebhookEventData<'connection.needs_reauthorization'>
>;

/**
 * Records a change of status, unless the same status was the last one announced: a daily collection that succeeds, or
 * fails again, is no event.
 * @param connection as it was before the change
 */
export async function recordStatusEvent<Status extends AnnouncedStatus>(
  manager: EntityManager,
  status: Status,
  connection: AnnouncedColumns,
  extraData: ExtraData<`connection.${Status}`>,
): Promise<void> {
  if (connection.last_announced_status !== status)
    await recordEvent(manager, `connection.${status}`, connection, extraData);
}

/**
 * Records an event for each enabled endpoint of the client (transactional outbox): it is delivered if and only if the
 * transaction of the manager commits.
 */
export async function recordEvent<Type extends ConnectionEventType>(
  manager: EntityManager,
  type: Type,
  connection: AnnouncedColumns,
  extraData: ExtraData<Type>,
): Promise<void> {
  const { connection_id, client_id, service_user_id, health_system_id, fhir_version } = connection;
  const data = {
    service_user_id: Number(service_user_id),
    connection_id,
    health_system_id: Number(health_system_id),
    fhirVersion: fhir_version,
    ...extraData,
  };
  // The row locks, taken in one order everywhere, serialize this with `DeliveryQueue`: it sees this delivery, or finds
  // `next_due_at` set.
  const endpoints = (await manager.query(
    `SELECT endpoint_id FROM webhook_endpoint WHERE client_id = $1 AND status = 'enabled'
     ORDER BY endpoint_id FOR NO KEY UPDATE`,
    [client_id],
  )) as { endpoint_id: string }[];
  if (endpoints.length === 0) return;
  const ids = endpoints.map(({ endpoint_id }) => endpoint_id);
  await manager.query(
    `INSERT INTO webhook_delivery (endpoint_id, event_id, service_user_id, connection_id, body)
     SELECT endpoint_id, $2, $3, $4, $5 FROM unnest($1::uuid[]) endpoint_id`,
    [ids, randomUUID(), service_user_id, connection_id, eventBody(type, data)],
  );
  await manager.query(
    `UPDATE webhook_endpoint SET next_due_at = now()
     WHERE endpoint_id = ANY($1) AND (next_due_at IS NULL OR (next_due_at > now() AND failing_since IS NULL))`,
    [ids],
  );
}

/** The JSON text that is signed and sent; every attempt sends the same. */
export function eventBody(type: WebhookEventType, data: object): string {
  return JSON.stringify({ type, timestamp: new Date().toISOString(), data });
}
