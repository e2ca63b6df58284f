import { MAX_BLOCK_BYTES, MAX_BLOCK_ENTRIES } from '../blocks/block-packing';
import { FAN_OUT, FULL } from './compaction-plan';
import type { Statement } from '../postgres/statement';

/** The type codes of the blocks of a record. $1 user */
export const findTypeCodes: Statement = {
  name: 'compaction-type-codes',
  text: `SELECT DISTINCT type_code FROM fhir_store.block WHERE user_id = $1 AND retired_at IS NULL ORDER BY type_code`,
};

const isFragment = `entry_count < ${MAX_BLOCK_ENTRIES * FULL} AND plain_bytes < ${MAX_BLOCK_BYTES * FULL}`;

/**
 * The type codes, among those given, whose blocks may need compaction; compaction-plan.ts decides. Most changed records
 * have none, so this statement saves reading their keys. $1 user, $2 type codes
 */
export const findCandidateTypeCodes: Statement = {
  name: 'compaction-candidates',
  text: `
    SELECT type_code FROM fhir_store.block WHERE user_id = $1 AND type_code = ANY ($2::smallint[]) AND retired_at IS NULL
    GROUP BY type_code
    HAVING count(*) FILTER (WHERE NOT history AND ${isFragment}) >= ${FAN_OUT} OR count(*) FILTER (WHERE history AND ${isFragment}) >= ${FAN_OUT}
      OR bool_or(NOT history AND entry_count > 1 AND first_superseded_at IS NOT NULL)
    ORDER BY type_code`,
};

/**
 * The blocks of one type code. $1 user, $2 type code. Columns: block_id, entry_count, plain_bytes, history, how many
 * entries are superseded, which is counted where compaction-plan.ts needs it
 */
export const listBlocks: Statement = {
  name: 'compaction-blocks',
  text: `
    SELECT block_id, entry_count, plain_bytes, history,
      CASE WHEN first_superseded_at IS NOT NULL AND NOT history AND entry_count > 1 AND NOT (${isFragment}) THEN (
        SELECT count(*)::integer FROM fhir_store.resource_history v WHERE v.user_id = $1 AND v.type_code = $2 AND v.block_id = b.block_id
      ) ELSE 0 END
    FROM fhir_store.block b WHERE user_id = $1 AND type_code = $2 AND retired_at IS NULL`,
};

/** $1 user, $2 type code, $3 blocks. Columns: block_id, content */
export const readBlocks: Statement = {
  name: 'compaction-read',
  text: `
    SELECT block_id, content FROM fhir_store.block
    WHERE user_id = $1 AND type_code = $2 AND block_id = ANY ($3::bigint[]) AND retired_at IS NULL`,
};

/** The entries of the parameters: $3 ids, $4 versions, $5 blocks, $6 slots; `ordinal` counts from 1. */
const entries = `unnest($3::uuid[], $4::integer[], $5::bigint[], $6::smallint[]) WITH ORDINALITY AS l (id, version, block_id, slot, ordinal)`;

/**
 * Looks each entry up by the primary key. A subquery with LIMIT or FOR UPDATE is not made part of a join: PostgreSQL
 * estimates few rows for a user and type code, and would join all of them with all entries.
 */
const currentOf = (columns: string, lookup: string): string => `
    SELECT ${columns} FROM ${entries}
    CROSS JOIN LATERAL (
      SELECT r.last_updated FROM fhir_store.resource r
      WHERE r.user_id = $1 AND r.type_code = $2 AND r.id = l.id AND r.version = l.version AND r.block_id = l.block_id AND r.slot = l.slot ${lookup}
    ) r`;

/** Which entries are the current version of their resource. $1 user, $2 type code, $3–$6 entries. Columns: ordinal */
export const findCurrent: Statement = {
  name: 'compaction-find-current',
  text: currentOf('l.ordinal::integer', 'LIMIT 1'),
};

/**
 * Like `findCurrent`, and locks the rows in the order of the entries, which must be that of their ids. Single writes to
 * these resources wait for the lock, find the entry moved and start again.
 */
export const lockCurrent: Statement = {
  name: 'compaction-lock-current',
  text: currentOf('r.last_updated', 'FOR UPDATE OF r'),
};

/** Which entries are superseded versions. $1 user, $2 type code, $3–$6 entries. Columns: ordinal, superseded_at */
export const findSuperseded: Statement = {
  name: 'compaction-find-superseded',
  text: `
    SELECT l.ordinal::integer, v.superseded_at FROM ${entries}
    CROSS JOIN LATERAL (
      SELECT v.superseded_at FROM fhir_store.resource_history v
      WHERE v.user_id = $1 AND v.type_code = $2 AND v.id = l.id AND v.version = l.version AND v.block_id = l.block_id AND v.slot = l.slot LIMIT 1
    ) v`,
};

/**
 * Which of these blocks are not retired. $1 user, $2 type code, $3 blocks. Columns: their number, and when the last of
 * them was written
 */
export const countBlocks: Statement = {
  name: 'compaction-count-blocks',
  text: `
    SELECT count(*)::integer, max(written_at) FROM fhir_store.block
    WHERE user_id = $1 AND type_code = $2 AND block_id = ANY ($3::bigint[]) AND retired_at IS NULL`,
};

/**
 * New blocks. $1 user, $2 type code, $3 time, $4 block ids, $5 entry counts, $6 plain bytes, $7 and $8 first and last
 * time of their entries, $9 history, $10 contents
 */
export const insertBlocks: Statement = {
  name: 'compaction-insert',
  text: `
    INSERT INTO fhir_store.block (user_id, type_code, block_id, entry_count, plain_bytes, written_at, min_last_updated, max_last_updated, history, content)
    SELECT $1, $2, block_id, entry_count, plain_bytes, $3, oldest, newest, history, content
    FROM unnest($4::bigint[], $5::smallint[], $6::integer[], $7::bigint[], $8::bigint[], $9::boolean[], $10::bytea[])
      AS b (block_id, entry_count, plain_bytes, oldest, newest, history, content)`,
};

const move = (name: string, table: string): Statement => ({
  name,
  text: `
    UPDATE fhir_store.${table} v SET block_id = l.block_id, slot = l.slot FROM ${entries}
    WHERE v.user_id = $1 AND v.type_code = $2 AND v.id = ANY ($3::uuid[]) AND v.id = l.id AND v.version = l.version`,
});

/** Move versions to new blocks. $1 user, $2 type code, $3 ids, $4 versions, $5 blocks, $6 slots */
export const moveCurrent = move('compaction-move-current', 'resource');
export const moveSuperseded = move('compaction-move-superseded', 'resource_history');

/** $1 user, $2 type code, $3 blocks, $4 retired at */
export const retireBlocks: Statement = {
  name: 'compaction-retire',
  text: `
    UPDATE fhir_store.block SET retired_at = $4
    WHERE user_id = $1 AND type_code = $2 AND block_id = ANY ($3::bigint[]) AND retired_at IS NULL`,
};
