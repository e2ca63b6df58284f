import type { Block } from './block';
import { maxContentBytes, maxKeys } from './block-limits';

/** A block as a row of audit.block has it. A superuser can insert rows that no process writes. */
export interface WrittenBlock extends Block {
  /** The role of PostgreSQL that has inserted the row. */
  writtenBy: string;
  /** The row was not written as a block is. */
  isMalformed?: boolean;
}

/** A row that `blockPageSql` selects. */
export interface BlockRow extends Omit<WrittenBlock, 'keys'> {
  keys: readonly unknown[];
  /** For how many rows the limit of the query has room. */
  rows_in_limit: number;
}

/** The rows of one page have about so many bytes. */
const pageBytes = 16 * 1024 ** 2;

/** A value that is larger than its limit, and NULL, is replaced by one that no block has. */
const columns = `stream_id AS "streamId", sequence::float8 AS sequence,
  (extract(epoch FROM started_at) * 1000)::float8 AS "startedAt", written_by AS "writtenBy",
  coalesce(events, -1) AS events,
  CASE WHEN pg_catalog.cardinality(keys) <= ${maxKeys} THEN keys ELSE '{NULL}' END AS keys,
  CASE WHEN octet_length(content) <= ${maxContentBytes} THEN content ELSE '' END AS content,
  coalesce(substr(previous, 1, 33), '') AS previous, coalesce(substr(hash, 1, 33), '') AS hash`;

/**
 * A query of rows of audit.block (`BlockRow`): one at least, and no more than fit into memory.
 * @param condition which rows
 * @param order their order
 * @param limit how many rows at most
 * @param furtherColumns selected beside those of `BlockRow`
 */
export function blockPageSql(condition: string, order: string, limit: number, ...furtherColumns: string[]): string {
  return `
SELECT ${[columns, ...furtherColumns].join(', ')}, rows_in_limit FROM (
  SELECT *, count(*) OVER ()::int AS rows_in_limit, row_number() OVER (ORDER BY ${order}) AS place,
    sum(least(octet_length(content), ${maxContentBytes}) + 20 * least(pg_catalog.cardinality(keys), ${maxKeys}))
      OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
  FROM (SELECT * FROM audit.block WHERE ${condition} ORDER BY ${order} LIMIT ${limit}) AS block
) AS block
WHERE coalesce(bytes_before, 0) < ${pageBytes} ORDER BY place`;
}

export function blockOf({ rows_in_limit: _rows, keys, ...row }: BlockRow): WrittenBlock {
  return keys.every((key) => typeof key === 'string' && /^-?\d{1,19}$/.test(key))
    ? { ...row, keys: keys.map((key) => BigInt(key as string)) }
    : { ...row, keys: [], isMalformed: true };
}
