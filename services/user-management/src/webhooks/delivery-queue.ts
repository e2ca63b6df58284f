import { randomUUID } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import { pauseAfter } from './retry-delay';
import { type WebhookEndpoint, webhookEndpointEntity } from './webhook-endpoint';

/** Longer than a delivery can take. */
const leaseSeconds = 60;
const retriedForHours = 24;
/** An event is not given up before, however long ago its first attempt was. */
const minAttempts = 8;
const maxConcurrentPerEndpoint = 8;

/** One event to be sent to one endpoint now. */
export interface LeasedDelivery {
  lease: string;
  endpoint: WebhookEndpoint;
  eventId: string;
  body: string;
  attempts: number;
}

/** What is left of an event that was not accepted: it is sent again, or given up alone; or the endpoint accepts nothing any more. */
export type Failure = 'retried' | 'given up' | 'endpoint dead';

interface Event {
  event_id: string;
  body: string;
  attempts: number;
}

const dueEndpoint = `
SELECT endpoint_id, failing_since IS NOT NULL AS is_failing FROM webhook_endpoint
WHERE status = 'enabled' AND next_due_at <= now() ORDER BY next_due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`;

/**
 * The events of an endpoint that may be sent: of each connection the first that is left, in the order in which they became due, unless its
 * user is being deleted.
 */
const leaseEvents = `
UPDATE webhook_delivery SET lease = $2, lease_until = now() + $3 * interval '1 second'
WHERE endpoint_id = $1 AND event_id IN (
  SELECT d.event_id FROM webhook_delivery d JOIN service_user u USING (service_user_id)
  WHERE d.endpoint_id = $1 AND d.due_at <= now() AND (d.lease_until IS NULL OR d.lease_until < now()) AND u.state <> 'deleting'
    AND NOT EXISTS (SELECT FROM webhook_delivery e WHERE e.endpoint_id = $1 AND e.connection_id = d.connection_id AND e.place < d.place)
  ORDER BY d.due_at, d.place
  LIMIT greatest(0, $4 - (SELECT count(*) FROM webhook_delivery l WHERE l.endpoint_id = $1 AND l.lease_until > now())))
RETURNING event_id, body, attempts`;

/** An endpoint is looked at again when a delivery ends, a lease runs out or a pause is over; an event that is recorded brings it forward. */
const scheduleEndpoint = `
UPDATE webhook_endpoint SET next_due_at = least(
  (SELECT min(lease_until) FROM webhook_delivery WHERE endpoint_id = $1 AND lease_until > now()),
  (SELECT min(due_at) FROM webhook_delivery WHERE endpoint_id = $1 AND due_at > now()))
WHERE endpoint_id = $1`;

/** From the first failure after something was accepted the pauses of an endpoint grow by half of the time that has passed, to an hour. */
const noteFailure = `
UPDATE webhook_endpoint SET failing_since = coalesce(failing_since, now()),
  next_due_at = least(
    now() + greatest(interval '5 seconds', least(interval '1 hour', (now() - coalesce(failing_since, now())) / 2)),
    greatest(now(), coalesce(failing_since, now()) + $2 * interval '1 hour'))
WHERE endpoint_id = $1
RETURNING failing_since <= now() - $2 * interval '1 hour' AS is_dead`;

/** The last attempt comes when the event has been tried for a day. */
const retryEvent = `
UPDATE webhook_delivery SET lease = NULL, lease_until = NULL, attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, now()),
  due_at = CASE WHEN first_attempt_at <= now() - $4 * interval '1 hour' THEN now() + $3 * interval '1 millisecond'
    ELSE least(now() + $3 * interval '1 millisecond', coalesce(first_attempt_at, now()) + $4 * interval '1 hour') END
WHERE endpoint_id = $1 AND event_id = $2
RETURNING first_attempt_at <= now() - $4 * interval '1 hour' AND attempts >= $5 AS is_exhausted`;

/**
 * Gives out what is due: at most eight events of an endpoint at a time, one while the endpoint accepts nothing, and those of a connection one after
 * the other; and keeps how each delivery ended. Whoever changes the deliveries of an endpoint locks the endpoint's row first. The leases stand in the
 * rows, as a row lock would hold a database connection for as long as the endpoint takes to answer. When a holder dies its lease runs out, and the
 * event is sent again under the same id.
 */
export class DeliveryQueue {
  constructor(private readonly source: DataSource) {}

  /** @returns undefined when no endpoint is due; no turns when there was nothing to send to the one that was */
  async take(): Promise<LeasedDelivery[] | undefined> {
    const lease = randomUUID();
    const taken = await this.source.transaction((manager) => this.#lease(manager, lease));
    if (!taken) return undefined;
    const { endpointId, events } = taken;
    const endpoint =
      events.length > 0
        ? await this.source.getRepository(webhookEndpointEntity).findOneBy({ endpointId, status: 'enabled' })
        : null;
    return endpoint
      ? events.map(({ event_id, body, attempts }) => ({ lease, endpoint, eventId: event_id, body, attempts }))
      : [];
  }

  async delivered({ endpoint: { endpointId }, eventId }: LeasedDelivery): Promise<void> {
    await this.source.transaction(async (manager) => {
      await manager.query(
        'UPDATE webhook_endpoint SET failing_since = NULL, next_due_at = now() WHERE endpoint_id = $1',
        [endpointId],
      );
      await manager.query('DELETE FROM webhook_delivery WHERE endpoint_id = $1 AND event_id = $2', [
        endpointId,
        eventId,
      ]);
    });
  }

  /**
   * An endpoint is dead when it has accepted nothing for a day. While it accepts others, an event that has been tried for a day is given up alone: an
   * old event says nothing of an endpoint that has recovered.
   */
  async failed({ endpoint: { endpointId }, eventId, attempts }: LeasedDelivery): Promise<Failure> {
    return this.source.transaction(async (manager) => {
      const [endpoint] = await changedRows<{ is_dead: boolean }>(manager, noteFailure, [endpointId, retriedForHours]);
      const [event] = await changedRows<{ is_exhausted: boolean }>(manager, retryEvent, [
        endpointId,
        eventId,
        pauseAfter(attempts + 1),
        retriedForHours,
        minAttempts,
      ]);
      if (endpoint?.is_dead) return 'endpoint dead';
      if (!event?.is_exhausted) return 'retried';
      await manager.query('DELETE FROM webhook_delivery WHERE endpoint_id = $1 AND event_id = $2', [
        endpointId,
        eventId,
      ]);
      return 'given up';
    });
  }

  async #lease(manager: EntityManager, lease: string): Promise<{ endpointId: string; events: Event[] } | undefined> {
    const [due] = (await manager.query(dueEndpoint)) as { endpoint_id: string; is_failing: boolean }[];
    if (!due) return undefined;
    const events = await changedRows<Event>(manager, leaseEvents, [
      due.endpoint_id,
      lease,
      leaseSeconds,
      due.is_failing ? 1 : maxConcurrentPerEndpoint,
    ]);
    await manager.query(scheduleEndpoint, [due.endpoint_id]);
    return { endpointId: due.endpoint_id, events };
  }
}
