import { type DeliveryEntry, type deliveryListQuery, maxReplayedEvents, webhookLogDays } from '@tributary/contracts';
import { HttpError, badRequest } from '@tributary/service-kit';
import type { DataSource, EntityManager } from 'typeorm';
import type { z } from 'zod';
import { changedRows } from '../database/changed-rows';
import type { WebhookEndpoint } from './webhook-endpoint';

/** What selects deliveries to an endpoint. */
export type DeliverySelection = z.output<typeof deliveryListQuery>;

export interface ReplayedRange {
  since: Date;
  until?: Date | undefined;
  state?: DeliveryEntry['state'] | undefined;
}

interface DeliveryRow {
  event_id: string;
  sequence: string;
  type: DeliveryEntry['event'];
  created_at: Date;
  service_user_id: string | null;
  connection_id: string | null;
  state: DeliveryEntry['state'];
  attempt_log: DeliveryEntry['attempts'];
  due_at: Date;
}

const deliveryColumns = `d.event_id, d.sequence, v.type, v.created_at, v.service_user_id, v.connection_id, d.state,
  d.attempt_log, d.due_at`;

/** $1 endpoint, $2 type, $3 state, $4 since, $5 until, $6 only older events than this sequence, $7 limit. */
const selectDeliveries = `
SELECT ${deliveryColumns} FROM webhook_delivery d JOIN webhook_event v USING (event_id)
WHERE d.endpoint_id = $1 AND ($2::text IS NULL OR v.type = $2) AND ($3::text IS NULL OR d.state = $3)
  AND ($4::timestamptz IS NULL OR v.created_at >= $4) AND ($5::timestamptz IS NULL OR v.created_at < $5)
  AND ($6::bigint IS NULL OR d.sequence < $6)
ORDER BY d.sequence DESC LIMIT $7`;

/** The columns of a delivery that begins anew. Its log is kept. */
const begunAnew = `state = 'pending', attempts = 0, first_attempt_at = NULL, due_at = now()`;

/**
 * $1 endpoint, $2 client, $3 since, $4 until, $5 state, $6 limit, $7 the selected types. The lock on an event makes a
 * deletion of old events skip it.
 */
const replayEvents = `
WITH event AS (
  SELECT v.event_id, v.sequence, v.connection_id FROM webhook_event v
  WHERE v.client_id = $2 AND v.created_at >= $3 AND ($4::timestamptz IS NULL OR v.created_at < $4)
    AND ($7::text[] IS NULL OR v.type = ANY ($7))
    AND NOT EXISTS (SELECT FROM webhook_delivery d
      WHERE d.event_id = v.event_id AND d.endpoint_id = $1 AND d.state = 'pending')
    AND ($5::text IS NULL OR EXISTS (SELECT FROM webhook_delivery d
      WHERE d.event_id = v.event_id AND d.endpoint_id = $1 AND d.state = $5))
  ORDER BY v.sequence LIMIT $6 FOR KEY SHARE OF v
)
INSERT INTO webhook_delivery (endpoint_id, event_id, sequence, connection_id, state)
SELECT $1, event_id, sequence, connection_id, 'pending' FROM event
ON CONFLICT (event_id, endpoint_id) DO UPDATE SET ${begunAnew}
RETURNING true`;

/** The log of deliveries, and their replay. */
export class DeliveryLog {
  constructor(private readonly database: DataSource) {}

  /**
   * A page of the deliveries to an endpoint, newest event first.
   * @returns `nextCursor` unless the page is the last one
   */
  async list(
    endpointId: string,
    { event, state, since, until, cursor, limit }: DeliverySelection,
  ): Promise<{ entries: DeliveryEntry[]; nextCursor?: string }> {
    const values = [endpointId, event ?? null, state ?? null, since ?? null, until ?? null, cursor ?? null, limit + 1];
    const rows = (await this.database.query(selectDeliveries, values)) as DeliveryRow[];
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      entries: page.map(deliveryEntryOf),
      ...(rows.length > limit && last ? { nextCursor: last.sequence } : {}),
    };
  }

  /**
   * Sends an event again, under the same `webhook-id`. One that is being sent is due at once.
   * @throws HttpError 404 when the event was not to be delivered to the endpoint, or is deleted; 409 when the endpoint is
   * disabled
   */
  replay({ endpointId }: WebhookEndpoint, eventId: string): Promise<DeliveryEntry> {
    return this.database.transaction(async (manager) => {
      await lockEnabled(manager, endpointId);
      const replayed = await changedRows(
        manager,
        `UPDATE webhook_delivery SET ${begunAnew} WHERE endpoint_id = $1 AND event_id = $2 RETURNING true`,
        [endpointId, eventId],
      );
      if (replayed.length === 0)
        throw new HttpError('webhook_delivery_not_found', 'this endpoint has no delivery with this webhook-id');
      const [row] = (await manager.query(
        `SELECT ${deliveryColumns} FROM webhook_delivery d JOIN webhook_event v USING (event_id)
         WHERE d.endpoint_id = $1 AND d.event_id = $2`,
        [endpointId, eventId],
      )) as [DeliveryRow];
      return deliveryEntryOf(row);
    });
  }

  /**
   * Sends the events of a time range again, each under the same `webhook-id`: those that the endpoint selects now.
   * Events that are being sent are left alone.
   * @returns the number of events
   * @throws HttpError 400 when there are more than `maxReplayedEvents`, 409 when the endpoint is disabled
   */
  replayRange(
    { endpointId, clientId, events }: WebhookEndpoint,
    { since, until, state }: ReplayedRange,
  ): Promise<number> {
    return this.database.transaction(async (manager) => {
      await lockEnabled(manager, endpointId);
      const values = [endpointId, clientId, since, until ?? null, state ?? null, maxReplayedEvents + 1, events];
      const replayed = (await manager.query(replayEvents, values)) as unknown[];
      if (replayed.length > maxReplayedEvents)
        throw badRequest(
          `since: there are more than ${maxReplayedEvents} events; replay a shorter time range`,
          'too_many_events',
        );
      return replayed.length;
    });
  }

  /** Deletes events, and the log of their deliveries, after `webhookLogDays`. In batches, so that no statement is long. */
  async deleteOld(): Promise<void> {
    const deleteBatch = (): Promise<unknown[]> =>
      changedRows(
        this.database,
        `DELETE FROM webhook_event WHERE event_id IN (
           SELECT event_id FROM webhook_event WHERE created_at < now() - $1 * interval '1 day'
           ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING true`,
        [webhookLogDays, deleteBatchSize],
      );
    while ((await deleteBatch()).length === deleteBatchSize);
  }
}

const deleteBatchSize = 1000;

/** Locks an endpoint, as every change of its deliveries does, and makes it due. @throws HttpError 409 when disabled */
async function lockEnabled(manager: EntityManager, endpointId: string): Promise<void> {
  const locked = await changedRows(
    manager,
    `UPDATE webhook_endpoint SET next_due_at = now() WHERE endpoint_id = $1 AND status = 'enabled' RETURNING true`,
    [endpointId],
  );
  if (locked.length === 0)
    throw new HttpError('webhook_endpoint_disabled', 'this endpoint is disabled; enable it first');
}

function deliveryEntryOf(row: DeliveryRow): DeliveryEntry {
  const { event_id, type, created_at, service_user_id, connection_id, state, attempt_log, due_at } = row;
  return {
    webhook_id: `msg_${event_id}`,
    event: type,
    timestamp: created_at.toISOString(),
    ...(service_user_id === null ? {} : { service_user_id: Number(service_user_id) }),
    ...(connection_id === null ? {} : { connection_id }),
    state,
    attempts: attempt_log,
    ...(state === 'pending' ? { next_attempt_at: due_at.toISOString() } : {}),
  };
}
