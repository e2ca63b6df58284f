import type { Statement } from '../../postgres/statement';
import { contentOncePerBlock } from '../../read/stored-version';

/**
 * The number of resources of a type, at most $3, and the bytes of their index values. $1 user, $2 type code. Columns:
 * count, bytes
 */
export const countResources: Statement = {
  isOfUser: true,
  name: 'index-count',
  text: `
    SELECT count(*)::integer, sum(pg_column_size(blind_terms) + coalesce(pg_column_size(ranges), 0))
    FROM (SELECT blind_terms, ranges FROM fhir_store.resource WHERE user_id = $1 AND type_code = $2 LIMIT $3) r`,
};

/**
 * Index rows in the order of their ids. $1 user, $2 type code, $3 id before, $4 limit. Columns: id, version,
 * last_updated, blind_terms, ranges
 */
export const listRows: Statement = {
  isOfUser: true,
  name: 'index-list',
  text: `
    SELECT id, version, last_updated, blind_terms, ranges FROM fhir_store.resource
    WHERE user_id = $1 AND type_code = $2 AND id > $3 ORDER BY id LIMIT $4`,
};

/** The index rows of those resources that exist. $1 user, $2 type code, $3 ids. Columns: those of `listRows` */
export const findRows: Statement = {
  isOfUser: true,
  name: 'index-rows',
  text: `
    SELECT r.id, r.version, r.last_updated, r.blind_terms, r.ranges FROM unnest($3::uuid[]) AS w (id)
    CROSS JOIN LATERAL (
      SELECT id, version, last_updated, blind_terms, ranges FROM fhir_store.resource
      WHERE user_id = $1 AND type_code = $2 AND id = w.id LIMIT 1
    ) r`,
};

/**
 * What was written since a time, as one snapshot: a row with the time of its destruction for the record, then the
 * deletions, then new blocks other than those that are known, which are those of new versions. A compaction writes a
 * block later than its entries, and changes no version. No condition is on a column that begins an index over all
 * records, or PostgreSQL may read the changes of all. $1 user, $2 type code, $3 time, $4 lowest block id, $5 ids of
 * known blocks, $6 limit of the blocks, $7 limit of their content in bytes when it is unpacked. Columns: id and time of
 * a deletion, block_id, content, which is null beyond the limit
 */
export const findChanges: Statement = {
  isOfUser: true,
  name: 'index-changes',
  text: `
    SELECT NULL::uuid, destroyed_at, NULL::bigint, NULL::bytea FROM fhir_store.record WHERE user_id = $1
    UNION ALL
    SELECT id, last_updated, NULL, NULL FROM fhir_store.resource_history
    WHERE user_id = $1 AND type_code = $2 AND deleted AND (user_id, type_code, last_updated) >= ($1, $2, $3)
    UNION ALL
    (SELECT NULL, NULL, block_id, CASE WHEN sum(plain_bytes) OVER (ROWS UNBOUNDED PRECEDING) <= $7 THEN content END
    FROM fhir_store.block
    WHERE user_id = $1 AND type_code = $2 AND block_id >= $4 AND block_id <> ALL ($5::bigint[])
      AND max_last_updated >= $3 AND written_at = max_last_updated LIMIT $6)`,
};

/**
 * Resources with the columns of `readVersions`, those that exist. $1 user, $2 type code, $3 ids, $4 ids of known blocks
 */
export const readResources: Statement = {
  isOfUser: true,
  name: 'index-read',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated, false AS deleted, r.block_id, r.slot, ${contentOncePerBlock('r', '$4::bigint[]')}
    FROM unnest($3::uuid[]) AS w (id)
    CROSS JOIN LATERAL (
      SELECT type_code, id, version, last_updated, block_id, slot FROM fhir_store.resource
      WHERE user_id = $1 AND type_code = $2 AND id = w.id LIMIT 1
    ) r`,
};
