import { type Statement, databaseClock } from '../postgres/statement';

/** How far a stream has been read; no row while another process reads it. $1 stream */
export const lockCursor: Statement = {
  name: 'compaction-cursor-lock',
  text: `SELECT position FROM fhir_store.compaction_cursor WHERE stream = $1 FOR UPDATE SKIP LOCKED`,
};

/** $1 stream, $2 position */
export const moveCursor: Statement = {
  name: 'compaction-cursor-move',
  text: `UPDATE fhir_store.compaction_cursor SET position = $2 WHERE stream = $1`,
};

/** A stream of changes that the queue is filled from. */
export interface ChangeStream {
  readonly name: string;
  /** The time of the last change of a page, if there are as many. $1 from, $2 before */
  endOfPage(changes: number): Statement;
  /** Puts the type codes of changed records into the queue. One that is there keeps its time. $1 from, $2 before */
  readonly enqueue: Statement;
}

const changeStream = (name: string, changes: string, time: string, condition: string): ChangeStream => ({
  name,
  endOfPage: (count) => ({
    name: `compaction-page-${name}-${count}`,
    text: `
      SELECT ${time} FROM ${changes} AND ${time} >= $1 AND ${time} < $2
      ORDER BY ${time} LIMIT 1 OFFSET ${count - 1}`,
  }),
  enqueue: {
    name: `compaction-enqueue-${name}`,
    text: `
      INSERT INTO fhir_store.compaction_queue AS q (user_id, type_codes, due_at)
      SELECT user_id, array_agg(DISTINCT type_code), ${databaseClock} FROM ${changes} AND ${time} >= $1 AND ${time} < $2 AND ${condition}
      GROUP BY user_id ORDER BY user_id
      ON CONFLICT (user_id) DO UPDATE SET changed = true,
        type_codes = (SELECT array_agg(DISTINCT type_code) FROM unnest(q.type_codes || excluded.type_codes) AS type_code)`,
  },
});

export const changeStreams: readonly ChangeStream[] = [
  // Blocks written by compaction are excluded, because `written_at` is later than their entries.
  changeStream('block', 'fhir_store.block WHERE true', 'written_at', 'written_at = max_last_updated'),
  changeStream('deletion', 'fhir_store.resource_history WHERE deleted', 'last_updated', 'true'),
];

/** The clock as a scalar subquery, which an index condition can use. */
const now = `(SELECT ${databaseClock})`;

/**
 * Leases the record that is due longest. A lease ends by itself: what a process that died has leased is due again then.
 * $1 length of the lease in milliseconds. Columns: user_id, type_codes, lease, failures
 */
export const claim: Statement = {
  name: 'compaction-claim',
  text: `
    WITH due AS MATERIALIZED (
      SELECT user_id FROM fhir_store.compaction_queue WHERE due_at <= ${now} ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE fhir_store.compaction_queue q SET due_at = ${databaseClock} + $1, lease = q.lease + 1, changed = false
    FROM due WHERE q.user_id = due.user_id RETURNING q.user_id, q.type_codes, q.lease, q.failures`,
};

/**
 * Ends a lease: the record leaves the queue, unless it has changed since. The update depends on the deletion and not on
 * `changed`, of which it would see the value before a concurrent change. $1 user, $2 lease
 */
export const complete: Statement = {
  name: 'compaction-complete',
  text: `
    WITH done AS (DELETE FROM fhir_store.compaction_queue WHERE user_id = $1 AND lease = $2 AND NOT changed RETURNING 1)
    UPDATE fhir_store.compaction_queue SET due_at = ${databaseClock}, failures = 0
    WHERE user_id = $1 AND lease = $2 AND NOT EXISTS (SELECT FROM done)`,
};

/** Ends a lease: the record is due again later. $1 user, $2 lease, $3 after milliseconds, $4 failures in a row */
export const postpone: Statement = {
  name: 'compaction-postpone',
  text: `
    UPDATE fhir_store.compaction_queue SET due_at = ${databaseClock} + $3, failures = $4 WHERE user_id = $1 AND lease = $2`,
};

/** How many records wait, and how many of them because they failed. */
export const countQueue: Statement = {
  name: 'compaction-count',
  text: `SELECT count(*)::integer, count(*) FILTER (WHERE failures > 0)::integer FROM fhir_store.compaction_queue`,
};

/** How many blocks one statement purges. */
const BLOCKS_PER_PURGE = 500;

/**
 * Deletes some blocks that were replaced before a time. $1 epoch milliseconds, or null: $2 milliseconds ago. Columns:
 * one for each
 */
export const purgeRetired: Statement = {
  name: 'compaction-purge',
  text: `
    WITH old AS MATERIALIZED (
      SELECT user_id, type_code, block_id FROM fhir_store.block WHERE retired_at < coalesce($1::bigint, ${now} - $2::bigint)
      ORDER BY retired_at LIMIT ${BLOCKS_PER_PURGE} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM fhir_store.block b USING old
    WHERE b.user_id = old.user_id AND b.type_code = old.type_code AND b.block_id = old.block_id RETURNING 1`,
};
