import type { CollectionJob } from '@tributary/contracts';

/** The columns of a connection that its job is made of, as PostgreSQL gives them. */
export interface ConnectionOfJob {
  connection_id: string;
  collection_id: string;
  fhir_base_url: string;
}

/** For `RETURNING`. */
export const columnsOfJob = 'connection_id, collection_id, fhir_base_url';

export function jobOf({ connection_id, collection_id, fhir_base_url }: ConnectionOfJob): CollectionJob {
  return {
    connection_id,
    collection_id,
    ...(URL.canParse(fhir_base_url) ? { host: new URL(fhir_base_url).host } : {}),
  };
}

/**
 * Assignments of an `UPDATE connection` that begins a collection.
 * @param collectionId an SQL expression
 */
export function beginCollection(collectionId: string): string {
  return `status = 'collecting', collection_id = ${collectionId}, progress = '[]', error = NULL, next_collection_at = NULL,
    queue_at = now(), queue_checks = 0, heartbeat_at = NULL, retry_at = NULL, failing_since = NULL, failed_attempts = 0`;
}
