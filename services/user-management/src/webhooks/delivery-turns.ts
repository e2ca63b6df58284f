import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import { pauseAfter } from './retry-pauses';
import { type WebhookEndpoint, webhookEndpointEntity } from './webhook-endpoint';

/** Longer than a delivery can take. */
const leaseSeconds = 60;
const retriedForHours = 24;

/** One event to be sent to one endpoint now. While it is, nobody else sends to that endpoint. */
export interface Turn {
  lease: string;
  endpoint: WebhookEndpoint;
  eventId: string;
  body: string;
  attempts: number;
}

/** What is due at an endpoint `e`: nothing of a user who is being deleted. */
const dueAtEndpoint = `FROM webhook_delivery d JOIN service_user u USING (service_user_id) WHERE d.endpoint_id = e.endpoint_id AND d.due_at <= now() AND u.state <> 'deleting'`;

/**
 * The endpoint that has waited longest for its turn: from the index by `served_at`, up to the first that has something due (`EXISTS` would be
 * planned as a join over everything that is due). The lock is weaker than the one a deletion takes, so that recording an event never waits for it.
 */
const takeEndpoint = `
UPDATE webhook_endpoint SET lease = $1, lease_until = now() + $2 * interval '1 second', served_at = now()
WHERE endpoint_id = (
  SELECT e.endpoint_id FROM webhook_endpoint e
  WHERE e.status = 'enabled' AND (e.lease_until IS NULL OR e.lease_until < now()) AND (SELECT true ${dueAtEndpoint} LIMIT 1)
  ORDER BY e.served_at NULLS FIRST LIMIT 1 FOR NO KEY UPDATE OF e SKIP LOCKED)
RETURNING endpoint_id`;

const dueEvent = `SELECT d.event_id, d.body, d.attempts FROM webhook_endpoint e, LATERAL (SELECT d.* ${dueAtEndpoint} ORDER BY d.due_at, d.place LIMIT 1) d WHERE e.endpoint_id = $1`;

/**
 * Gives out what is due, one event per endpoint at a time, endpoints by turns, the events of an endpoint in the order in which they
 * became due; and keeps how each turn ended. The lease stands in the endpoint's row, as a row lock would hold a database connection
 * for as long as the endpoint takes to answer. When the holder dies the lease runs out, and the event is sent again.
 */
export class DeliveryTurns {
  constructor(private readonly source: DataSource) {}

  async take(): Promise<Turn | undefined> {
    const lease = randomUUID();
    const [taken] = await changedRows<{ endpoint_id: string }>(this.source, takeEndpoint, [lease, leaseSeconds]);
    if (!taken) return undefined;
    const endpoint = await this.source.getRepository(webhookEndpointEntity).findOneBy({ endpointId: taken.endpoint_id, status: 'enabled' });
    const [event] = (await this.source.query(dueEvent, [taken.endpoint_id])) as { event_id: string; body: string; attempts: number }[];
    if (endpoint && event) return { lease, endpoint, eventId: event.event_id, body: event.body, attempts: event.attempts };
    await this.#release(taken.endpoint_id, lease);
    return undefined;
  }

  async delivered({ lease, endpoint: { endpointId }, eventId }: Turn): Promise<void> {
    await this.source.query('DELETE FROM webhook_delivery WHERE endpoint_id = $1 AND event_id = $2', [endpointId, eventId]);
    await this.#release(endpointId, lease);
  }

  /**
   * The event is tried again later, for the last time a day after the first attempt.
   * @returns whether an event has now been refused for a whole day
   */
  async failed({ lease, endpoint: { endpointId }, eventId, attempts }: Turn): Promise<'retried' | 'exhausted'> {
    await this.source.query(
      `UPDATE webhook_delivery SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, now()),
         due_at = least(now() + $3 * interval '1 millisecond', coalesce(first_attempt_at, now()) + $4 * interval '1 hour')
       WHERE endpoint_id = $1 AND event_id = $2`,
      [endpointId, eventId, pauseAfter(attempts + 1), retriedForHours],
    );
    await this.#release(endpointId, lease);
    const [exhausted] = (await this.source.query(`SELECT FROM webhook_delivery WHERE endpoint_id = $1 AND first_attempt_at <= now() - $2 * interval '1 hour' LIMIT 1`, [endpointId, retriedForHours])) as unknown[];
    return exhausted ? 'exhausted' : 'retried';
  }

  async #release(endpointId: string, lease: string): Promise<void> {
    await this.source.query('UPDATE webhook_endpoint SET lease = NULL, lease_until = NULL WHERE endpoint_id = $1 AND lease = $2', [endpointId, lease]);
  }
}
