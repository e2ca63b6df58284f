import type { DataSource, EntityManager } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import { recordClientOutcomes } from '../outcomes/client-outcomes';

/** A batch of this size holds its locks for much less than the lock and statement timeouts. */
const batchSize = 1000;

/** The endpoints with deliveries to end, or to delete. */
const closedEndpoints = `
SELECT endpoint_id FROM webhook_endpoint e WHERE status = 'deleting' OR (status = 'disabled'
  AND EXISTS (SELECT FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id AND d.state = 'pending'))`;

/** Rows that a deletion of events has locked are skipped: waiting for them could deadlock, and they are deleted. */
const endDeliveries = `
WITH batch AS MATERIALIZED (
  SELECT event_id FROM webhook_delivery WHERE endpoint_id = $1 AND state = 'pending'
  LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE webhook_delivery d SET lease_until = NULL,
  state = CASE WHEN first_attempt_at IS NULL THEN 'missed' ELSE 'failed' END
FROM batch WHERE d.endpoint_id = $1 AND d.event_id = batch.event_id
RETURNING state`;

const deleteDeliveries = `
WITH batch AS MATERIALIZED (
  SELECT event_id FROM webhook_delivery WHERE endpoint_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM webhook_delivery d USING batch WHERE d.endpoint_id = $1 AND d.event_id = batch.event_id
RETURNING true`;

const deleteEmptyEndpoint = `
DELETE FROM webhook_endpoint e WHERE endpoint_id = $1
  AND NOT EXISTS (SELECT FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id)`;

/**
 * Continues the disabling and the deletion of endpoints by one batch of deliveries each: every collection report of a
 * client locks the endpoints of the client, so no transaction may change all of their deliveries.
 * @returns whether more batches are due
 */
export async function closeEndpoints(database: DataSource): Promise<boolean> {
  let isMoreDue = false;
  for (const { endpoint_id } of (await database.query(closedEndpoints)) as { endpoint_id: string }[]) {
    const isFull = await database.transaction((manager) => closeBatch(manager, endpoint_id));
    isMoreDue ||= isFull;
  }
  return isMoreDue;
}

/**
 * Ends a batch of the pending deliveries of a disabled endpoint. Of a deleted endpoint it deletes a batch of the
 * deliveries, and the endpoint after the last one.
 * @returns whether the batch was full
 */
export async function closeBatch(manager: EntityManager, endpointId: string): Promise<boolean> {
  const [endpoint] = (await manager.query(
    `SELECT status, client_id FROM webhook_endpoint WHERE endpoint_id = $1 AND status <> 'enabled' FOR NO KEY UPDATE`,
    [endpointId],
  )) as { status: 'disabled' | 'deleting'; client_id: string }[];
  if (!endpoint) return false;
  const values = [endpointId, batchSize];
  if (endpoint.status === 'disabled') {
    const ended = await changedRows<{ state: 'failed' | 'missed' }>(manager, endDeliveries, values);
    const occurrences = ended.filter(({ state }) => state === 'failed').length;
    if (occurrences > 0)
      await recordClientOutcomes(manager, endpoint.client_id, [{ kind: 'webhook', label: 'failed', occurrences }]);
    return ended.length === batchSize;
  }
  const isFull = (await changedRows(manager, deleteDeliveries, values)).length === batchSize;
  if (!isFull) await manager.query(deleteEmptyEndpoint, [endpointId]);
  return isFull;
}
