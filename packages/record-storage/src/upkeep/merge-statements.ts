import { BLOCK_BYTES, BLOCK_LINES } from '../blocks/block-packing';
import type { Statement } from '../postgres/statement';
import { databaseClock } from '../write/batch-statements';

/** Fewer such blocks of one kind are not worth a merge. */
export const MERGE_FROM = 4;

/** Blocks that are less than half full, or hold superseded lines and so slow an export down. */
const wanting = `retired_at IS NULL
  AND ((lines < ${BLOCK_LINES / 2} AND plain_bytes < ${BLOCK_BYTES / 2}) OR first_superseded_at IS NOT NULL)`;

/** Users with blocks worth merging, from a user on. $1 user before, $2 limit */
export const findUsersToMerge: Statement = {
  name: 'merge-users',
  text: `
    SELECT user_id FROM (
      SELECT user_id, count(*) FILTER (WHERE ${wanting}) AS wanting FROM fhir_store.block WHERE user_id > $1 GROUP BY user_id, kind
    ) k
    WHERE wanting >= ${MERGE_FROM} GROUP BY user_id ORDER BY user_id LIMIT $2`,
};

/** The oldest blocks worth merging of each kind that has enough of them. $1 user, $2 limit. Columns: kind, block_id, lines, content */
export const findBlocksToMerge: Statement = {
  name: 'merge-blocks',
  text: `
    SELECT kind, block_id, lines, content FROM (
      SELECT kind, block_id, lines, content, count(*) OVER (PARTITION BY kind) AS wanting FROM fhir_store.block WHERE user_id = $1 AND ${wanting}
    ) k
    WHERE wanting >= ${MERGE_FROM} ORDER BY kind, block_id LIMIT $2`,
};

/** The current versions in these blocks, locked in the order of their keys. $1 user, $2 kind, $3 blocks. Columns: id, version, block_id, slot, last_updated */
export const lockCurrentIn: Statement = {
  name: 'merge-lock-current',
  text: `
    SELECT id, version, block_id, slot, last_updated FROM fhir_store.resource
    WHERE user_id = $1 AND kind = $2 AND block_id = ANY ($3::bigint[]) ORDER BY id FOR UPDATE`,
};

/** The superseded versions in these blocks. $1 user, $2 kind, $3 blocks. Columns: id, version, block_id, slot, last_updated, superseded_at */
export const findSupersededIn: Statement = {
  name: 'merge-find-superseded',
  text: `
    SELECT id, version, block_id, slot, last_updated, superseded_at FROM fhir_store.version
    WHERE user_id = $1 AND kind = $2 AND block_id = ANY ($3::bigint[])`,
};

export const readClock: Statement = { name: 'merge-clock', text: `SELECT ${databaseClock}` };

/** A new block. $1 user, $2 kind, $3 block, $4 lines, $5 plain bytes, $6 written at, $7 and $8 first and last time of its lines, $9 history, $10 content */
export const insertMergedBlock: Statement = {
  name: 'merge-insert-block',
  text: `
    INSERT INTO fhir_store.block (user_id, kind, block_id, lines, plain_bytes, written_at, min_last_updated, max_last_updated, history, content)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};

/** Current versions get their new places. $1 user, $2 kind, $3 ids, $4 versions, $5 blocks, $6 slots */
export const moveCurrent: Statement = {
  name: 'merge-move-current',
  text: `
    UPDATE fhir_store.resource r SET block_id = m.block_id, slot = m.slot
    FROM unnest($3::uuid[], $4::integer[], $5::bigint[], $6::smallint[]) AS m (id, version, block_id, slot)
    WHERE r.user_id = $1 AND r.kind = $2 AND r.id = m.id AND r.version = m.version`,
};

/** Superseded versions get their new places. $1 user, $2 kind, $3 ids, $4 versions, $5 blocks, $6 slots */
export const moveSuperseded: Statement = {
  name: 'merge-move-superseded',
  text: `
    UPDATE fhir_store.version v SET block_id = m.block_id, slot = m.slot
    FROM unnest($3::uuid[], $4::integer[], $5::bigint[], $6::smallint[]) AS m (id, version, block_id, slot)
    WHERE v.user_id = $1 AND v.kind = $2 AND v.id = m.id AND v.version = m.version`,
};

/** $1 user, $2 kind, $3 blocks, $4 retired at */
export const retireBlocks: Statement = {
  name: 'merge-retire',
  text: `UPDATE fhir_store.block SET retired_at = $4 WHERE user_id = $1 AND kind = $2 AND block_id = ANY ($3::bigint[])`,
};

/** $1 retired before */
export const purgeRetired: Statement = {
  name: 'merge-purge',
  text: `WITH purged AS (DELETE FROM fhir_store.block WHERE retired_at < $1 RETURNING 1) SELECT count(*) FROM purged`,
};
