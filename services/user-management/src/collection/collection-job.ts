import type { CollectionJob } from '@tributary/contracts';

/** The columns of a connection from which its job is made. */
export interface JobColumns {
  connection_id: string;
  collection_id: string;
  fhir_base_url: string;
}

/** `JobColumns` for a select list or `RETURNING`. */
export const jobColumns = 'connection_id, collection_id, fhir_base_url';

export function jobOf({ connection_id, collection_id, fhir_base_url }: JobColumns): CollectionJob {
  return {
    connection_id,
    collection_id,
    ...(URL.canParse(fhir_base_url) ? { host: new URL(fhir_base_url).host } : {}),
  };
}

/** What the current or last collection of a connection has created, deleted and restored, for `FROM`. */
function countsOf(connection: string): string {
  return `(SELECT coalesce(sum(created), 0) AS created, coalesce(sum(deleted), 0) AS deleted,
      coalesce(sum(restored), 0) AS restored
    FROM jsonb_to_recordset(${connection}.progress) AS t(created bigint, deleted bigint, restored bigint)) AS counts`;
}

/**
 * SQL: how many resources were collected, without those that the health system has deleted; for a query on `countsOf`.
 * A restored resource that a collection had deleted counts again. One that the client had deleted was never counted
 * out.
 */
function collectedBy(connection: string): string {
  return `${connection}.collected_before + created - deleted - restored + least(restored, ${connection}.deleted_before)`;
}

/** An SQL expression: how many resources the record holds of all collections of a connection. */
export function collectedOf(connection: string): string {
  return `(SELECT (${collectedBy(connection)})::float FROM ${countsOf(connection)})`;
}

/**
 * The `SET` list of an `UPDATE connection` that starts a collection. A full one is `requested` for the next collection,
 * and `under_way` until one is completed. What the previous collection has created and
 * deleted, even when it did not end, is counted before its progress is deleted.
 * @param collectionId an SQL expression
 * @param isFull an SQL condition: whether everything is read again, and not only what has changed
 * @param dueAt an SQL expression: since when the collection is due
 */
export function beginCollection(
  collectionId: string,
  isFull = 'connection.full_collection IS NOT NULL',
  dueAt = 'now()',
): string {
  return `status = 'collecting', collection_id = ${collectionId}, progress = '[]', error = NULL,
    (collected_before, deleted_before) = (
      SELECT ${collectedBy('connection')}, greatest(connection.deleted_before - restored, 0) + deleted
      FROM ${countsOf('connection')}),
    next_collection_at = NULL, collection_due_at = ${dueAt}, enqueue_at = now(), enqueue_attempts = 0,
    heartbeat_at = NULL, retry_at = NULL, failing_since = NULL, failed_attempts = 0,
    full_collection = CASE WHEN ${isFull} THEN 'under_way' END`;
}
