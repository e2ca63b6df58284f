import { randomUUID } from 'node:crypto';
import type {
  ClientMode,
  ConnectionStatus,
  FhirVersion,
  WebhookEventData,
  WebhookEventType,
} from '@tributary/contracts';
import type { EntityManager } from 'typeorm';

type ConnectionEventType = Extract<WebhookEventType, `connection.${string}` | 'collection.completed'>;

/** The statuses that an event reports to clients. */
type AnnouncedStatus = Extract<ConnectionStatus, 'active' | 'needs_reauthorization' | 'failed'>;

export interface AnnouncedColumns {
  connection_id: string;
  client_id: string;
  service_user_id: string;
  health_system_id: string;
  fhir_version: FhirVersion;
  is_other_person: boolean;
  /** Of the last event; null before the first one and after a revocation. */
  last_announced_status: AnnouncedStatus | null;
}

/** `AnnouncedColumns` for the select list of a query on `connection c`. */
export const announcedColumns =
  'c.connection_id, c.client_id, c.service_user_id, c.health_system_id, c.fhir_version, c.is_other_person, c.last_announced_status';

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
    await recordConnectionEvent(manager, `connection.${status}`, connection, extraData);
}

/** Records an event of a connection; see `recordEvent`. */
export function recordConnectionEvent<Type extends ConnectionEventType>(
  manager: EntityManager,
  type: Type,
  connection: AnnouncedColumns,
  extraData: ExtraData<Type>,
): Promise<void> {
  const { connection_id, client_id, service_user_id, health_system_id, fhir_version, is_other_person } = connection;
  const data = {
    service_user_id: Number(service_user_id),
    connection_id,
    health_system_id: Number(health_system_id),
    fhirVersion: fhir_version,
    ...(is_other_person ? { other_person: true as const } : {}),
    ...extraData,
  };
  return recordEvent(
    manager,
    { type, clientId: client_id, serviceUserId: service_user_id, connectionId: connection_id },
    data,
  );
}

export interface EventSubject<Type extends WebhookEventType = WebhookEventType> {
  type: Type;
  clientId: string;
  /** The event is deleted with this user. */
  serviceUserId?: string | number;
  /** The events of a connection are delivered in their order. */
  connectionId?: string;
  /** The id of the event. A second call with the same id records nothing. Default: a new UUID. */
  eventId?: string;
}

/**
 * Records an event for the endpoints of the client (transactional outbox): it is delivered if and only if the
 * transaction of the manager commits. A disabled endpoint misses it, and can have it replayed. Nothing is recorded for
 * a client without endpoints.
 */
export async function recordEvent(
  manager: EntityManager,
  { type, clientId, serviceUserId, connectionId, eventId = randomUUID() }: EventSubject,
  data: object,
): Promise<void> {
  // The row locks, taken in one order everywhere, serialize this with `DeliveryQueue`: it sees this delivery, or finds
  // `next_due_at` set.
  const endpoints = (await manager.query(
    `SELECT endpoint_id, mode FROM webhook_endpoint WHERE client_id = $1 AND status <> 'deleting'
     ORDER BY endpoint_id FOR NO KEY UPDATE`,
    [clientId],
  )) as { endpoint_id: string; mode: ClientMode }[];
  const [first] = endpoints;
  if (!first) return;
  const inserted = (await manager.query(
    `INSERT INTO webhook_event (event_id, client_id, type, service_user_id, connection_id, body)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (event_id) DO NOTHING RETURNING event_id`,
    [eventId, clientId, type, serviceUserId ?? null, connectionId ?? null, eventBody(type, first.mode, data)],
  )) as unknown[];
  if (inserted.length === 0) return;
  await manager.query(
    `INSERT INTO webhook_delivery (endpoint_id, event_id, sequence, type, created_at, connection_id, state)
     SELECT p.endpoint_id, v.event_id, v.sequence, v.type, v.created_at, v.connection_id,
       CASE WHEN p.status = 'enabled' THEN 'pending' ELSE 'missed' END
     FROM webhook_event v, webhook_endpoint p
     WHERE v.event_id = $1 AND p.client_id = $2 AND p.status <> 'deleting'
       AND (p.events IS NULL OR $3 = ANY (p.events))`,
    [eventId, clientId, type],
  );
  await manager.query(
    `UPDATE webhook_endpoint SET next_due_at = now()
     WHERE client_id = $1 AND status = 'enabled' AND (events IS NULL OR $2 = ANY (events))
       AND (next_due_at IS NULL OR (next_due_at > now() AND failing_since IS NULL))`,
    [clientId, type],
  );
}

/** The JSON text that is signed and sent; every attempt sends the same. */
export function eventBody(type: WebhookEventType, mode: ClientMode, data: object): string {
  return JSON.stringify({ type, timestamp: new Date().toISOString(), mode, data });
}
