import { type deliveryAttempt, exponentialDelayMs, withJitter } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import { changedRows } from '../database/changed-rows';
import { measured, recordClientOutcomes } from '../outcomes/client-outcomes';
import { type WebhookEndpoint, webhookEndpointEntity } from './webhook-endpoint';
import type { WebhookResponse } from './webhook-sender';

/** Longer than an attempt, which `OutboundHttp` limits to 15 seconds. */
const leaseSeconds = 60;
const retryHours = 24;
/** An event gets at least this many attempts, however long ago the first one was. */
const minAttempts = 8;
const maxConcurrentPerEndpoint = 8;

/** An event that this process is to deliver to an endpoint now. */
export interface LeasedDelivery {
  endpoint: WebhookEndpoint;
  eventId: string;
  body: string;
  /** Failed attempts so far. */
  attempts: number;
}

/** The consequence of a failed attempt: the event is retried or dropped, or the endpoint has failed. */
export type FailureOutcome = 'will_retry' | 'event_dropped' | 'endpoint_failed';

interface LeasedRow {
  event_id: string;
  body: string;
  attempts: number;
}

const lockDueEndpoint = `
SELECT endpoint_id, failing_since IS NOT NULL AS is_failing FROM webhook_endpoint
WHERE status = 'enabled' AND next_due_at <= now() ORDER BY next_due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`;

/**
 * Leases due events of endpoint $1, ordered by due time: of each connection only the oldest event, and none of a user
 * who is being deleted. At most $3 events of the endpoint are leased at a time.
 */
const leaseEvents = `
UPDATE webhook_delivery SET lease_until = now() + $2 * interval '1 second'
WHERE endpoint_id = $1 AND event_id IN (
  SELECT d.event_id FROM webhook_delivery d JOIN webhook_event v USING (event_id)
    LEFT JOIN service_user u USING (service_user_id)
  WHERE d.endpoint_id = $1 AND d.state = 'pending' AND d.due_at <= now() AND (d.lease_until IS NULL OR d.lease_until < now())
    AND u.state IS DISTINCT FROM 'deleting'
    AND NOT EXISTS (SELECT FROM webhook_delivery e
      WHERE e.endpoint_id = $1 AND e.state = 'pending' AND e.connection_id = d.connection_id AND e.sequence < d.sequence)
  ORDER BY d.due_at, d.sequence
  LIMIT greatest(0, $3 - (SELECT count(*) FROM webhook_delivery l WHERE l.endpoint_id = $1 AND l.lease_until > now())))
RETURNING event_id, attempts, (SELECT body FROM webhook_event v WHERE v.event_id = webhook_delivery.event_id) AS body`;

/**
 * The endpoint is due when a lease expires or a delay ends. The end of a delivery, or a new event, sets an earlier
 * time.
 */
const scheduleEndpoint = `
UPDATE webhook_endpoint SET next_due_at = least(
  (SELECT min(lease_until) FROM webhook_delivery WHERE endpoint_id = $1 AND lease_until > now()),
  (SELECT min(due_at) FROM webhook_delivery WHERE endpoint_id = $1 AND state = 'pending' AND due_at > now()))
WHERE endpoint_id = $1`;

/**
 * The delay of a failing endpoint is half of the time since its first failure after the last success: from 5 seconds to
 * an hour.
 */
const recordEndpointFailure = `
UPDATE webhook_endpoint SET failing_since = coalesce(failing_since, now()),
  consecutive_failures = consecutive_failures + 1, last_failure = $3::jsonb,
  next_due_at = least(
    now() + greatest(interval '5 seconds', least(interval '1 hour', (now() - coalesce(failing_since, now())) / 2)),
    greatest(now(), coalesce(failing_since, now()) + $2 * interval '1 hour'))
WHERE endpoint_id = $1
RETURNING failing_since <= now() - $2 * interval '1 hour' AS has_failed`;

/** An attempt is added to the log of its delivery, which has the last 30 of them. */
const addAttempt = (attempt: string): string =>
  `attempt_log = CASE WHEN jsonb_array_length(attempt_log) >= 30 THEN attempt_log - 0 ELSE attempt_log END || ${attempt}::jsonb`;

/** Schedules the next attempt of an event after $3 milliseconds, and the last one $4 hours after the first. */
const recordEventFailure = `
UPDATE webhook_delivery SET lease_until = NULL, attempts = attempts + 1, ${addAttempt('$6')},
  first_attempt_at = coalesce(first_attempt_at, now()),
  due_at = CASE WHEN first_attempt_at <= now() - $4 * interval '1 hour' THEN now() + $3 * interval '1 millisecond'
    ELSE least(now() + $3 * interval '1 millisecond', coalesce(first_attempt_at, now()) + $4 * interval '1 hour') END
WHERE endpoint_id = $1 AND event_id = $2
RETURNING first_attempt_at <= now() - $4 * interval '1 hour' AND attempts >= $5 AS is_exhausted`;

/** The query of the result reads the row as it was before: another attempt may have ended the delivery already. */
const recordEventSuccess = `
UPDATE webhook_delivery d SET state = 'delivered', lease_until = NULL, ${addAttempt('$3')}
WHERE endpoint_id = $1 AND event_id = $2
RETURNING attempts, (SELECT b.state = 'pending' FROM webhook_delivery b
  WHERE b.endpoint_id = d.endpoint_id AND b.event_id = d.event_id) AS was_pending`;

/** Not for a delivery that meanwhile became `missed`, or was accepted by another attempt. */
const recordEventFailed = `
UPDATE webhook_delivery SET state = 'failed' WHERE endpoint_id = $1 AND event_id = $2 AND state = 'pending' RETURNING true`;

/**
 * The queue of webhook deliveries (tables `webhook_endpoint`, `webhook_delivery`, `webhook_event`). An endpoint gets at
 * most eight events at a time, a failing endpoint one; the events of a connection are delivered one after the other.
 *
 * A transaction that inserts or updates deliveries locks the rows of their endpoints first, in the order of
 * endpoint_id. The deletion of old events (`DeliveryLog.deleteOld`) and the cascade of a deleted row of a user lock the
 * events and no endpoints: the first deletes no event that is pending, the second finds only what
 * `deleteUserConnections` has left. A replay therefore locks its events beside the endpoint. `closeEndpoints` skips
 * deliveries that are locked.
 *
 * A delivery is leased by a column and not by a row lock, which
 * would occupy a database connection for as long as the endpoint takes to respond. When the holder of a lease is
 * killed, the lease expires and the event is sent again under the same id.
 */
export class DeliveryQueue {
  constructor(private readonly database: DataSource) {}

  /**
   * Leases deliveries of one due endpoint.
   * @returns undefined when no endpoint is due; empty when the due endpoint has nothing to send
   */
  async lease(): Promise<LeasedDelivery[] | undefined> {
    const leased = await this.database.transaction(async (manager) => {
      const [due] = (await manager.query(lockDueEndpoint)) as { endpoint_id: string; is_failing: boolean }[];
      if (!due) return undefined;
      const { endpoint_id: endpointId, is_failing } = due;
      const limit = is_failing ? 1 : maxConcurrentPerEndpoint;
      const rows = await changedRows<LeasedRow>(manager, leaseEvents, [endpointId, leaseSeconds, limit]);
      await manager.query(scheduleEndpoint, [endpointId]);
      return { endpointId, rows };
    });
    if (!leased) return undefined;
    const { endpointId, rows } = leased;
    if (rows.length === 0) return [];
    const endpoint = await this.database
      .getRepository(webhookEndpointEntity)
      .findOneBy({ endpointId, status: 'enabled' });
    return endpoint
      ? rows.map(({ event_id, body, attempts }) => ({ endpoint, eventId: event_id, body, attempts }))
      : [];
  }

  async recordSuccess(
    { endpoint: { endpointId, clientId }, eventId }: LeasedDelivery,
    response: WebhookResponse,
  ): Promise<void> {
    await this.database.transaction(async (manager) => {
      await manager.query(
        `UPDATE webhook_endpoint SET failing_since = NULL, next_due_at = now(), consecutive_failures = 0,
           last_success_at = now() WHERE endpoint_id = $1`,
        [endpointId],
      );
      const [delivered] = await changedRows<{ attempts: number; was_pending: boolean }>(manager, recordEventSuccess, [
        endpointId,
        eventId,
        JSON.stringify(attemptOf(response)),
      ]);
      if (delivered?.was_pending)
        await recordClientOutcomes(manager, clientId, [
          { kind: 'webhook', label: delivered.attempts === 0 ? 'delivered_at_first' : 'delivered_later' },
          measured('webhook_ms', response.durationMs),
        ]);
    });
  }

  /**
   * An endpoint has failed when it has accepted nothing for 24 hours. While it accepts other events, an event is
   * dropped 24 hours after its first attempt: an old event says nothing about an endpoint that has recovered.
   */
  async recordFailure(
    { endpoint: { endpointId, clientId }, eventId, attempts }: LeasedDelivery,
    response: WebhookResponse,
  ): Promise<FailureOutcome> {
    const { duration_ms: _duration, ...failure } = attemptOf(response);
    return this.database.transaction(async (manager) => {
      const [endpoint] = await changedRows<{ has_failed: boolean }>(manager, recordEndpointFailure, [
        endpointId,
        retryHours,
        JSON.stringify(failure),
      ]);
      const [event] = await changedRows<{ is_exhausted: boolean }>(manager, recordEventFailure, [
        endpointId,
        eventId,
        deliveryRetryDelayMs(attempts + 1),
        retryHours,
        minAttempts,
        JSON.stringify(attemptOf(response)),
      ]);
      if (endpoint?.has_failed) return 'endpoint_failed';
      if (!event?.is_exhausted) return 'will_retry';
      const failed = await changedRows(manager, recordEventFailed, [endpointId, eventId]);
      if (failed.length > 0) await recordClientOutcomes(manager, clientId, [{ kind: 'webhook', label: 'failed' }]);
      return 'event_dropped';
    });
  }
}

/** An attempt that has just ended, as the log has it. */
function attemptOf({ durationMs, ...result }: WebhookResponse): z.input<typeof deliveryAttempt> {
  return { at: new Date(Date.now() - durationMs).toISOString(), duration_ms: durationMs, ...result };
}

/**
 * The delay before an event is sent again: 5 s, 20 s, 80 s … up to 6 h, with a jitter of 20 %.
 * @returns milliseconds
 */
export function deliveryRetryDelayMs(failedAttempts: number, random?: number): number {
  return withJitter(
    exponentialDelayMs({ firstMs: 5_000, factor: 4, maxMs: 6 * 3_600_000 }, failedAttempts),
    0.2,
    random,
  );
}
