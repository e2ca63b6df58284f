import { INDEX_VERSION } from '@tributary/fhir-search';
import { databaseClock } from '../postgres/database-clock';
import type { Statement } from '../postgres/statement';
import { writeTime } from '../schema/snapshot-time';

/**
 * Opens the transaction of a writer and locks the record (see the concurrency rule in record-transaction.ts). All in
 * one round trip, so without parameters: the user id is a whole number.
 */
export function beginAndLockRecord(userId: number): string {
  return `BEGIN; SELECT destroyed_at IS NULL FROM fhir_store.record WHERE user_id = ${Math.trunc(userId)} FOR NO KEY UPDATE`;
}

/**
 * Begins the writing of a transaction that holds its record's lock (see schema/snapshot-time.ts). Columns: executed_at
 */
export const startWriting: Statement = {
  name: 'write-start',
  text: `SELECT ${writeTime} FROM (SELECT ${databaseClock} AS s OFFSET 0) c`,
};

/**
 * The current versions of those resources that exist, locked in the order of their keys. $1 user, $2 type codes, $3
 * ids. The lateral subquery looks each key up by the primary key, in the order of the sorted keys. As a join,
 * PostgreSQL may read every row of the user instead. Columns: type_code, id, version, last_updated, source_hash,
 * block_id, slot
 */
export const lockCurrent: Statement = {
  name: 'batch-lock',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated, r.source_hash, r.block_id, r.slot
    FROM (SELECT type_code, id FROM unnest($2::smallint[], $3::uuid[]) AS w (type_code, id) ORDER BY type_code, id) w
    CROSS JOIN LATERAL (
      SELECT type_code, id, version, last_updated, source_hash, block_id, slot FROM fhir_store.resource
      WHERE user_id = $1 AND type_code = w.type_code AND id = w.id FOR UPDATE
    ) r`,
};

/**
 * The last versions of resources that have no current one. It is executed after `lockCurrent`, as a separate statement:
 * `lockCurrent` may have waited for a deletion, which its own snapshot does not contain. $1 user, $2 type codes, $3
 * ids. Columns: type_code, id, version, last_updated, whether it is a deletion that is not superseded
 */
export const findDeletions: Statement = {
  name: 'batch-deletions',
  text: `
    SELECT w.type_code, w.id, v.version, v.last_updated, v.in_force
    FROM unnest($2::smallint[], $3::uuid[]) AS w (type_code, id)
    CROSS JOIN LATERAL (
      SELECT version, last_updated, deleted AND superseded_at IS NULL AS in_force FROM fhir_store.resource_history
      WHERE user_id = $1 AND type_code = w.type_code AND id = w.id ORDER BY version DESC LIMIT 1
    ) v`,
};

/**
 * New blocks, and the index rows of their entries. Terms and ranges are one flat array each, with the first and last
 * index of each row. $1 user, $2 time, $3–$7 of the blocks, $8–$19 of the rows. It writes fewer rows than given if one
 * of them does not follow the stored version.
 */
export const writeResources: Statement = {
  name: 'batch-write',
  text: `
    WITH new_blocks AS (
      INSERT INTO fhir_store.block (user_id, type_code, block_id, entry_count, plain_bytes, written_at, min_last_updated, max_last_updated, content)
      SELECT $1, type_code, block_id, entry_count, plain_bytes, $2, $2, $2, content
      FROM unnest($3::smallint[], $4::bigint[], $5::smallint[], $6::integer[], $7::bytea[]) AS b (type_code, block_id, entry_count, plain_bytes, content)
    )
    INSERT INTO fhir_store.resource AS r (user_id, type_code, id, version, last_updated, block_id, slot, source_hash, index_version, blind_terms, ranges)
    SELECT $1, type_code, id, version, $2, block_id, slot, source_hash, ${INDEX_VERSION},
      ($14::bigint[])[terms_from:terms_to], CASE WHEN ranges_to >= ranges_from THEN ($17::bigint[])[ranges_from:ranges_to] END
    FROM unnest($8::smallint[], $9::uuid[], $10::integer[], $11::bigint[], $12::smallint[], $13::bigint[], $15::integer[], $16::integer[], $18::integer[], $19::integer[])
      AS n (type_code, id, version, block_id, slot, source_hash, terms_from, terms_to, ranges_from, ranges_to)
    ON CONFLICT (user_id, type_code, id) DO UPDATE SET version = excluded.version, last_updated = excluded.last_updated, block_id = excluded.block_id,
      slot = excluded.slot, source_hash = excluded.source_hash, index_version = excluded.index_version, blind_terms = excluded.blind_terms, ranges = excluded.ranges
    WHERE r.version = excluded.version - 1`,
};

/** Keeps the versions that the batch supersedes, and marks their blocks. $1 user, $2 time, $3–$8 of the versions */
export const keepSuperseded: Statement = {
  name: 'batch-supersede',
  text: `
    WITH old AS MATERIALIZED (
      SELECT * FROM unnest($3::smallint[], $4::uuid[], $5::integer[], $6::bigint[], $7::bigint[], $8::smallint[])
        AS o (type_code, id, version, last_updated, block_id, slot)
    ),
    kept AS (
      INSERT INTO fhir_store.resource_history (user_id, type_code, id, version, last_updated, superseded_at, block_id, slot, deleted)
      SELECT $1, type_code, id, version, last_updated, $2, block_id, slot, false FROM old
    ),
    touched AS MATERIALIZED (
      SELECT b.type_code, b.block_id FROM fhir_store.block b
      WHERE b.user_id = $1 AND (b.type_code, b.block_id) IN (SELECT type_code, block_id FROM old)
        AND (b.first_superseded_at IS NULL OR b.first_superseded_at > $2::bigint)
      ORDER BY b.type_code, b.block_id FOR UPDATE
    )
    UPDATE fhir_store.block b SET first_superseded_at = $2 FROM touched t WHERE b.user_id = $1 AND b.type_code = t.type_code AND b.block_id = t.block_id`,
};

/** $1 user, $2 time, $3 type codes, $4 ids, $5 versions of the deletions */
export const deleteResources: Statement = {
  name: 'batch-delete',
  text: `
    WITH gone AS MATERIALIZED (SELECT * FROM unnest($3::smallint[], $4::uuid[], $5::integer[]) AS g (type_code, id, version)),
    tombstones AS (
      INSERT INTO fhir_store.resource_history (user_id, type_code, id, version, last_updated, deleted) SELECT $1, type_code, id, version, $2, true FROM gone
    )
    DELETE FROM fhir_store.resource r USING gone
    WHERE r.user_id = $1 AND r.type_code = gone.type_code AND r.id = gone.id AND r.version = gone.version - 1`,
};

/**
 * Supersedes the deletions of restored resources. $1 user, $2 time, $3 type codes, $4 ids, $5 versions of the deletions
 */
export const supersedeDeletions: Statement = {
  name: 'batch-restore',
  text: `
    UPDATE fhir_store.resource_history v SET superseded_at = $2 FROM unnest($3::smallint[], $4::uuid[], $5::integer[]) AS d (type_code, id, version)
    WHERE v.user_id = $1 AND v.type_code = d.type_code AND v.id = d.id AND v.version = d.version AND v.deleted AND v.superseded_at IS NULL`,
};
