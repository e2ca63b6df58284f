import { INDEX_VERSION } from '@tributary/fhir-search';
import { type Statement, databaseClock } from '../postgres/statement';
import { contentOncePerBlock } from '../read/stored-version';

/**
 * Leases the next record whose rows obey older index rules. Records that a batch has locked are skipped. $1 version and
 * $2 user before, $3 milliseconds. Columns: index_version, user_id
 */
export const leaseRecord: Statement = {
  name: 'reindex-lease',
  text: `
    WITH due AS MATERIALIZED (
      SELECT user_id FROM fhir_store.record
      WHERE destroyed_at IS NULL AND (index_version, user_id) > ($1::smallint, $2::bigint) AND index_version < ${INDEX_VERSION}
        AND (reindex_leased_until IS NULL OR reindex_leased_until < ${databaseClock})
      ORDER BY index_version, user_id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE fhir_store.record r SET reindex_leased_until = ${databaseClock} + $3::bigint FROM due
    WHERE r.user_id = due.user_id RETURNING r.index_version, r.user_id`,
};

/** Sets the lease of a record to end after this time. $1 user, $2 milliseconds */
export const extendLease: Statement = {
  name: 'reindex-extend',
  text: `UPDATE fhir_store.record SET reindex_leased_until = ${databaseClock} + $2::bigint WHERE user_id = $1 AND index_version < ${INDEX_VERSION}`,
};

/**
 * Rows of older rules, and the sizes of their blocks. $1 user, $2 limit. Columns: type_code, id, version, block_id,
 * plain_bytes
 */
export const listOutdated: Statement = {
  name: 'reindex-list',
  text: `
    SELECT r.type_code, r.id, r.version, r.block_id, b.plain_bytes FROM (
      SELECT type_code, id, version, block_id FROM fhir_store.resource WHERE user_id = $1 AND index_version < ${INDEX_VERSION} ORDER BY type_code, id LIMIT $2
    ) r
    JOIN fhir_store.block b ON b.user_id = $1 AND b.type_code = r.type_code AND b.block_id = r.block_id
    ORDER BY r.type_code, r.block_id`,
};

/**
 * Listed rows with the contents of their blocks, as one snapshot. $1 user, $2 type code, $3 ids, $4 versions. Columns:
 * id, version, block_id, slot, content
 */
export const readRows: Statement = {
  name: 'reindex-read',
  text: `
    SELECT r.id, r.version, r.block_id, r.slot, ${contentOncePerBlock('r')}
    FROM unnest($3::uuid[], $4::integer[]) AS w (id, version)
    CROSS JOIN LATERAL (
      SELECT type_code, id, version, block_id, slot FROM fhir_store.resource
      WHERE user_id = $1 AND type_code = $2 AND id = w.id AND version = w.version LIMIT 1
    ) r`,
};

/**
 * Sets the terms and ranges of the current rules in rows that still have the version that was read. A later version was
 * written by the current rules, or is read again. The rows are locked in the order of their keys, as batches do. $1
 * user, $2 type code, $3 ids, $4 versions, $5 terms, $6 and $7 their first and last index for each row, $8 ranges, $9
 * and $10 the same for them. Returns one row for each updated row.
 */
export const replaceIndex: Statement = {
  name: 'reindex-replace',
  text: `
    WITH made AS MATERIALIZED (
      SELECT * FROM unnest($3::uuid[], $4::integer[], $6::integer[], $7::integer[], $9::integer[], $10::integer[])
        AS m (id, version, terms_from, terms_to, ranges_from, ranges_to)
    ),
    locked AS MATERIALIZED (
      SELECT r.id, m.terms_from, m.terms_to, m.ranges_from, m.ranges_to
      FROM made m JOIN fhir_store.resource r ON r.user_id = $1 AND r.type_code = $2 AND r.id = m.id
      WHERE r.id = ANY ($3) AND r.version = m.version AND r.index_version < ${INDEX_VERSION}
      ORDER BY r.id FOR UPDATE OF r
    )
    UPDATE fhir_store.resource r
    SET index_version = ${INDEX_VERSION}, blind_terms = ($5::bigint[])[l.terms_from:l.terms_to],
      ranges = CASE WHEN l.ranges_to >= l.ranges_from THEN ($8::bigint[])[l.ranges_from:l.ranges_to] END
    FROM locked l WHERE r.user_id = $1 AND r.type_code = $2 AND r.id = ANY ($3) AND r.id = l.id RETURNING 1`,
};

/** Marks the record as current if all its rows obey the current rules. $1 user. Returns a row if so. */
export const finishRecord: Statement = {
  name: 'reindex-finish',
  text: `
    UPDATE fhir_store.record SET index_version = ${INDEX_VERSION}, reindex_leased_until = NULL
    WHERE user_id = $1 AND index_version < ${INDEX_VERSION}
      AND NOT EXISTS (SELECT FROM fhir_store.resource WHERE user_id = $1 AND index_version < ${INDEX_VERSION})
    RETURNING 1`,
};

/** Rows of a table and its partitions, by the statistics. A partitioned table itself has none. */
const estimatedRows = (table: string): string => `(
        SELECT coalesce(sum(greatest(reltuples, 0)), 0) FROM pg_class
        WHERE relkind = 'r' AND (oid = '${table}'::regclass OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = '${table}'::regclass))
      )`;

/**
 * Live records of older rules: how many, how many of them failed or are being re-indexed, and how many rows a record
 * has, about.
 */
export const countOutdated: Statement = {
  name: 'reindex-count',
  text: `
    SELECT count(*)::integer, count(*) FILTER (WHERE reindex_leased_until > ${databaseClock})::integer,
      ${estimatedRows('fhir_store.resource')} / greatest(${estimatedRows('fhir_store.record')}, 1)
    FROM fhir_store.record WHERE destroyed_at IS NULL AND index_version < ${INDEX_VERSION}`,
};
