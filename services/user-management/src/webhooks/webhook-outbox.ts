import { randomUUID } from 'node:crypto';
import type { FhirVersion, WebhookEventData, WebhookEventType } from '@tributary/contracts';
import type { EntityManager } from 'typeorm';

export type ConnectionEventType = Exclude<WebhookEventType, 'webhook.test'>;

/** The columns of a connection that an event tells of, as PostgreSQL gives them. */
export interface ConnectionOfEvent {
  connection_id: string;
  client_id: string;
  service_user_id: string;
  health_system_id: string;
  fhir_version: FhirVersion;
}

/** For `RETURNING`, of a connection `c`. */
export const columnsOfEvent = 'c.connection_id, c.client_id, c.service_user_id, c.health_system_id, c.fhir_version';

type More<Type extends ConnectionEventType> = Omit<WebhookEventData<Type>, keyof WebhookEventData<'connection.active'>>;

/**
 * Writes down, in the transaction of what happened, that each enabled endpoint of the client is to hear of it. An event of a client
 * without endpoints leaves no trace.
 */
export async function announce<Type extends ConnectionEventType>(
  manager: EntityManager,
  type: Type,
  connection: ConnectionOfEvent,
  more: More<Type>,
): Promise<void> {
  const { connection_id, client_id, service_user_id, health_system_id, fhir_version } = connection;
  const data = {
    service_user_id: Number(service_user_id),
    connection_id,
    health_system_id: Number(health_system_id),
    fhirVersion: fhir_version,
    ...more,
  };
  // Locked, in one order everywhere: whoever looks at the deliveries of an endpoint sees this one, or is told to look again.
  const endpoints = (await manager.query(
    `SELECT endpoint_id FROM webhook_endpoint WHERE client_id = $1 AND status = 'enabled' ORDER BY endpoint_id FOR NO KEY UPDATE`,
    [client_id],
  )) as {
    endpoint_id: string;
  }[];
  if (endpoints.length === 0) return;
  const ids = endpoints.map(({ endpoint_id }) => endpoint_id);
  await manager.query(
    `INSERT INTO webhook_delivery (endpoint_id, event_id, service_user_id, connection_id, body) SELECT endpoint_id, $2, $3, $4, $5 FROM unnest($1::uuid[]) endpoint_id`,
    [ids, randomUUID(), service_user_id, connection_id, bodyOf(type, data)],
  );
  await manager.query(
    'UPDATE webhook_endpoint SET next_due_at = now() WHERE endpoint_id = ANY($1) AND (next_due_at IS NULL OR (next_due_at > now() AND failing_since IS NULL))',
    [ids],
  );
}

/** The text that is signed and sent, the same at each attempt. */
export function bodyOf(type: WebhookEventType, data: object, at = new Date()): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
