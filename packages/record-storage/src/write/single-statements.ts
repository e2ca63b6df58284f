import { INDEX_VERSION } from '@tributary/fhir-search';
import { databaseClock } from '../postgres/database-clock';
import type { Statement } from '../postgres/statement';
import { writeTime } from '../schema/snapshot-time';
import { MAX_SKEW_MS } from './commit-timestamps';

/**
 * When the statement ran (see schema/snapshot-time.ts), and whether the record still takes writes. A write is refused (it
 * writes nothing and says so) when the record is destroyed, when the time chosen for it lies before that moment, or when it
 * lies far after it: a host's clock is wrong. $1 user, $2 the time chosen.
 */
const gate = (isNear: string): string => `
  moment AS MATERIALIZED (
    SELECT ${writeTime} AS ran, live
    FROM (SELECT ${databaseClock} AS s, destroyed_at IS NULL AS live FROM fhir_store.record WHERE user_id = $1 OFFSET 0) c
  ),
  gate AS MATERIALIZED (SELECT ran FROM moment WHERE live AND ran <= $2::bigint AND ${isNear})`;

/**
 * The current version, locked (see the concurrency rule in record-transaction.ts), if it is still the expected one ($5). The
 * join to its block is what makes a write that had to wait for a compaction find nothing and try again: the block that a
 * compaction wrote is not visible to this statement, so it could not mark it. Only a version that follows one of the future
 * may be dated far ahead, too.
 */
const current = `
  current AS MATERIALIZED (
    SELECT r.version, r.last_updated, r.block_id, r.slot
    FROM gate, fhir_store.resource r
    JOIN fhir_store.block b ON b.user_id = $1 AND b.type_code = $3 AND b.block_id = r.block_id
    WHERE r.user_id = $1 AND r.type_code = $3 AND r.id = $4 AND r.version = $5 AND r.last_updated < $2::bigint
      AND $2::bigint <= greatest(gate.ran + ${MAX_SKEW_MS}, r.last_updated + 1)
    FOR UPDATE OF r
  ),
  superseded AS (
    INSERT INTO fhir_store.resource_history (user_id, type_code, id, version, last_updated, superseded_at, block_id, slot, deleted)
    SELECT $1, $3, $4, version, last_updated, $2, block_id, slot, false FROM current
  ),
  marked AS (
    UPDATE fhir_store.block b SET first_superseded_at = $2 FROM current
    WHERE b.user_id = $1 AND b.type_code = $3 AND b.block_id = current.block_id
      AND (b.first_superseded_at IS NULL OR b.first_superseded_at > $2::bigint)
  )`;

/** Columns of the answer: ran, live, whether it was written. */
const answer = (written: string): string => `SELECT ran, live, EXISTS (SELECT FROM ${written}) FROM moment`;

/** $1 user, $2 time, $3 kind, $4 id, $5 block, $6 length of the line, $7 content, $8 terms, $9 ranges, $10 source hash */
export const createResource: Statement = {
  name: 'resource-create',
  text: `WITH ${gate(`$2::bigint <= ran + ${MAX_SKEW_MS}`)},
  new_block AS (
    INSERT INTO fhir_store.block (user_id, type_code, block_id, entry_count, plain_bytes, written_at, min_last_updated, max_last_updated, content)
    SELECT $1, $3, $5, 1, $6, $2, $2, $2, $7 FROM gate
  ),
  created AS (
    INSERT INTO fhir_store.resource (user_id, type_code, id, version, last_updated, block_id, slot, blind_terms, ranges, source_hash, index_version)
    SELECT $1, $3, $4, 1, $2, $5, 0, $8, $9, $10, ${INDEX_VERSION} FROM gate RETURNING 1
  )
  ${answer('created')}`,
};

/** $1 user, $2 time, $3 kind, $4 id, $5 expected version, $6 block, $7 length of the line, $8 content, $9 terms, $10 ranges, $11 source hash */
export const updateResource: Statement = {
  name: 'resource-update',
  text: `WITH ${gate('true')}, ${current},
  new_block AS (
    INSERT INTO fhir_store.block (user_id, type_code, block_id, entry_count, plain_bytes, written_at, min_last_updated, max_last_updated, content)
    SELECT $1, $3, $6, 1, $7, $2, $2, $2, $8 FROM current
  ),
  updated AS (
    UPDATE fhir_store.resource r
    SET version = $5 + 1, last_updated = $2, block_id = $6, slot = 0, blind_terms = $9, ranges = $10, source_hash = $11, index_version = ${INDEX_VERSION}
    FROM current WHERE r.user_id = $1 AND r.type_code = $3 AND r.id = $4 RETURNING 1
  )
  ${answer('updated')}`,
};

/** $1 user, $2 time, $3 kind, $4 id, $5 expected version */
export const deleteResource: Statement = {
  name: 'resource-delete',
  text: `WITH ${gate('true')}, ${current},
  tombstone AS (
    INSERT INTO fhir_store.resource_history (user_id, type_code, id, version, last_updated, deleted)
    SELECT $1, $3, $4, $5 + 1, $2, true FROM current
  ),
  deleted AS (
    DELETE FROM fhir_store.resource r USING current WHERE r.user_id = $1 AND r.type_code = $3 AND r.id = $4 RETURNING 1
  )
  ${answer('deleted')}`,
};

/** The latest version of a resource, deleted or not. $1 user, $2 kind, $3 id. Columns: version, last_updated, deleted, source_hash */
export const findLatestVersion: Statement = {
  name: 'resource-head',
  text: `
    SELECT version, last_updated, false AS deleted, source_hash FROM fhir_store.resource WHERE user_id = $1 AND type_code = $2 AND id = $3
    UNION ALL
    SELECT version, last_updated, true, NULL FROM fhir_store.resource_history
    WHERE user_id = $1 AND type_code = $2 AND id = $3 AND deleted AND superseded_at IS NULL`,
};
