/**
 * The limits of a block. Those who write keep them, and PostgreSQL refuses a row beyond them; those who read take no
 * row beyond them into memory, because a superuser can insert what PostgreSQL would refuse to others.
 */
export const maxEventsPerBlock = 4096;
/** An event has a subject, a user and a client. */
export const maxKeys = 3 * maxEventsPerBlock;
/** Of the sealed content. */
export const maxContentBytes = 16 * 1024 ** 2;
/** Of the events of a block that is written, before they are compressed. */
export const maxEncodedBytes = 256 * 1024;
/** Limits of one event. The event of a Bundle has 20 kB and 101 entities. A page of a search has a thousand events. */
export const maxEventBytes = 64 * 1024;
export const maxEntities = 1000;
/** Of the entities of all events of a block, and the numbers in these: reading one takes far longer than a byte. */
export const maxDetails = 20_000;
/** Of the events of a block that is read: earlier versions wrote larger ones. */
export const maxInflatedBytes = 4 * 1024 ** 2;

/** The rows of one page have about so many bytes. */
const pageBytes = 16 * 1024 ** 2;

/** Columns whose size is limited: a larger value, and NULL, is replaced by one that no block has. */
const boundedColumns = `coalesce(events, -1) AS events,
  CASE WHEN pg_catalog.cardinality(keys) <= ${maxKeys} THEN keys ELSE '{NULL}' END AS keys,
  CASE WHEN octet_length(content) <= ${maxContentBytes} THEN content ELSE '' END AS content,
  coalesce(substr(previous, 1, 33), '') AS previous, coalesce(substr(hash, 1, 33), '') AS hash`;

/**
 * A query of rows of audit.block: one at least, and no more than fit into memory.
 * @param columns selected, beside `events`, `keys`, `content`, `previous` and `hash`
 * @param condition which rows
 * @param order their order
 * @param limit how many rows at most; `rows_in_limit` tells for how many the limit has room
 */
export function blockPageSql(columns: string, condition: string, order: string, limit: number): string {
  return `
SELECT ${columns}, ${boundedColumns}, rows_in_limit FROM (
  SELECT *, count(*) OVER ()::int AS rows_in_limit, row_number() OVER (ORDER BY ${order}) AS place,
    sum(least(octet_length(content), ${maxContentBytes}) + 20 * least(pg_catalog.cardinality(keys), ${maxKeys}))
      OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
  FROM (SELECT * FROM audit.block WHERE ${condition} ORDER BY ${order} LIMIT ${limit}) AS block
) AS block
WHERE coalesce(bytes_before, 0) < ${pageBytes} ORDER BY place`;
}
