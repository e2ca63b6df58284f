import { type DeliveryEntry, type deliveryListQuery, maxReplayedEvents, webhookLogDays } from '@tributary/contracts';
import { HttpError, badRequest } from '@tributary/service-kit';
import type { DataSource, EntityManager } from 'typeorm';
import type { z } from 'zod';
import { changedRows, repeatFullBatches } from '../database/changed-rows';
import type { WebhookEndpoint } from './webhook-endpoint';

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

interface ListedRow extends DeliveryRow {
  created_us: string;
}

const deliveryColumns = `d.event_id, d.sequence, d.type, d.created_at, v.service_user_id, d.connection_id, d.state,
  d.attempt_log, d.due_at`;

/**
 * $1 endpoint, $2 type, $3 state, $4 since, $5 until, $6 and $7 only events before this time in microseconds and this
 * sequence, $8 limit. The planner knows the values, so each combination of filters reads the index that fits it.
 */
const selectDeliveries = `
SELECT ${deliveryColumns}, (extract(epoch FROM d.created_at) * 1000000)::bigint AS created_us
FROM webhook_delivery d JOIN webhook_event v USING (event_id)
WHERE d.endpoint_id = $1 AND ($2::text IS NULL OR d.type = $2) AND ($3::text IS NULL OR d.state = $3)
  AND ($4::timestamptz IS NULL OR d.created_at >= $4) AND ($5::timestamptz IS NULL OR d.created_at < $5)
  AND ($6::bigint IS NULL
    OR (d.created_at, d.sequence) < (timestamptz 'epoch' + $6::bigint * interval '1 microsecond', $7::bigint))
ORDER BY d.created_at DESC, d.sequence DESC LIMIT $8`;

/** The columns of a delivery that begins again. Its log is kept. */
const resetDelivery = `state = 'pending', attempts = 0, first_attempt_at = NULL, due_at = now()`;

/** $1 client, $2 since, $3 until, $4 the selected types, $5 limit. */
const selectEvents = `
SELECT event_id FROM webhook_event
WHERE client_id = $1 AND created_at >= $2 AND ($3::timestamptz IS NULL OR created_at < $3)
  AND ($4::text[] IS NULL OR type = ANY ($4))
ORDER BY created_at, sequence LIMIT $5`;

/** $1 endpoint, $2 since, $3 until, $4 the selected types, $5 limit, $6 state. */
const selectEventsInState = `
SELECT event_id FROM webhook_delivery
WHERE endpoint_id = $1 AND created_at >= $2 AND ($3::timestamptz IS NULL OR created_at < $3)
  AND ($4::text[] IS NULL OR type = ANY ($4)) AND state = $6
ORDER BY created_at, sequence LIMIT $5`;

/**
 * $1 endpoint, $2 events, $3 state. A concurrent replay or attempt may have changed the deliveries since the events
 * were selected. The lock on an event makes `deleteOld` skip it.
 */
const replayEvents = `
WITH event AS MATERIALIZED (
  SELECT v.event_id, v.sequence, v.type, v.created_at, v.connection_id FROM webhook_event v
  WHERE v.event_id = ANY ($2::uuid[])
    AND NOT EXISTS (SELECT FROM webhook_delivery d
      WHERE d.event_id = v.event_id AND d.endpoint_id = $1 AND d.state = 'pending')
    AND ($3::text IS NULL OR EXISTS (SELECT FROM webhook_delivery d
      WHERE d.event_id = v.event_id AND d.endpoint_id = $1 AND d.state = $3))
  ORDER BY v.sequence FOR KEY SHARE OF v
)
INSERT INTO webhook_delivery (endpoint_id, event_id, sequence, type, created_at, connection_id, state)
SELECT $1, event_id, sequence, type, created_at, connection_id, 'pending' FROM event
ON CONFLICT (event_id, endpoint_id) DO UPDATE SET ${resetDelivery}
RETURNING true`;

const isPending = `EXISTS (SELECT FROM webhook_delivery d WHERE d.event_id = v.event_id AND d.state = 'pending')`;

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
    const filters = [event ?? null, state ?? null, since ?? null, until ?? null];
    const [createdUs = null, sequence = null] = cursor?.split('-') ?? [];
    const values = [endpointId, ...filters, createdUs, sequence, limit + 1];
    const rows = (await this.database.query(selectDeliveries, values)) as ListedRow[];
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      entries: page.map(deliveryEntryOf),
      ...(rows.length > limit && last ? { nextCursor: `${last.created_us}-${last.sequence}` } : {}),
    };
  }

  /**
   * Sends an event again, under the same `webhook-id`. One that is being sent is due at once.
   * @throws HttpError 404 when the endpoint has no delivery of the event; 409 when the endpoint is disabled
   */
  replay({ endpointId }: WebhookEndpoint, eventId: string): Promise<DeliveryEntry> {
    return this.database.transaction(async (manager) => {
      await lockEnabled(manager, endpointId);
      // `deleteOld` skips an event with this lock.
      await manager.query('SELECT FROM webhook_event WHERE event_id = $1 FOR KEY SHARE', [eventId]);
      const [replayed] = await changedRows<DeliveryRow>(
        manager,
        `UPDATE webhook_delivery d SET ${resetDelivery} FROM webhook_event v
         WHERE d.endpoint_id = $1 AND d.event_id = $2 AND v.event_id = d.event_id RETURNING ${deliveryColumns}`,
        [endpointId, eventId],
      );
      if (!replayed)
        throw new HttpError('webhook_delivery_not_found', 'this endpoint has no delivery with this webhook-id');
      return deliveryEntryOf(replayed);
    });
  }

  /**
   * Sends the events of a time range again, each under the same `webhook-id`: those that the endpoint selects now.
   * Events that are being sent are left alone. The events are selected before the endpoint is locked, since the reports
   * of collections wait for that lock.
   * @returns the number of events that are sent again
   * @throws HttpError 400 when the range has more than `maxReplayedEvents`, 409 when the endpoint is disabled
   */
  async replayRange(
    { endpointId, clientId, events }: WebhookEndpoint,
    { since, until, state }: ReplayedRange,
  ): Promise<number> {
    const range = [since, until ?? null, events, maxReplayedEvents + 1];
    const selected = (await (state === undefined
      ? this.database.query(selectEvents, [clientId, ...range])
      : this.database.query(selectEventsInState, [endpointId, ...range, state]))) as { event_id: string }[];
    if (selected.length > maxReplayedEvents)
      throw badRequest(
        `since: there are more than ${maxReplayedEvents} events; replay a shorter time range`,
        'too_many_events',
      );
    const ids = selected.map(({ event_id }) => event_id);
    return this.database.transaction(async (manager) => {
      await lockEnabled(manager, endpointId);
      return ((await manager.query(replayEvents, [endpointId, ids, state ?? null])) as unknown[]).length;
    });
  }

  /**
   * Deletes events, and the log of their deliveries, after `webhookLogDays`: in batches, so that no statement is long.
   * An event that is being sent again is kept until its delivery ends.
   */
  async deleteOld(): Promise<void> {
    await repeatFullBatches(deleteBatchSize, () => this.database.transaction(deleteOldBatch));
  }
}

const deleteBatchSize = 1000;

/** @returns the events that were selected for deletion */
async function deleteOldBatch(manager: EntityManager): Promise<unknown[]> {
  const old = (await manager.query(
    `SELECT event_id FROM webhook_event v WHERE created_at < now() - $1 * interval '1 day' AND NOT ${isPending}
     ORDER BY created_at LIMIT $2 FOR UPDATE OF v SKIP LOCKED`,
    [webhookLogDays, deleteBatchSize],
  )) as { event_id: string }[];
  // A replay may have committed between the snapshot of the first statement and its locks. None can begin now.
  await manager.query(`DELETE FROM webhook_event v WHERE event_id = ANY ($1::uuid[]) AND NOT ${isPending}`, [
    old.map(({ event_id }) => event_id),
  ]);
  return old;
}

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
