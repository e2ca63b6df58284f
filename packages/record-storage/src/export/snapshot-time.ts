import type { Pool } from 'pg';
import { type Statement, databaseClock, run } from '../postgres/statement';
import { latestTime } from '../schema/snapshot-time';
import { MAX_LEAD_MS } from '../write/commit-timestamps';

/**
 * $1 maximum lead in milliseconds. Columns: the snapshot time, and when it was requested: the later of the clock of the
 * database and the floor. Before PostgreSQL 17 a role that may not read the floor gets an error instead of NULL.
 */
const selectSnapshotTime: Statement = {
  name: 'snapshot-time',
  text: `SELECT fhir_store.snapshot_time($1), requested_at FROM (
      SELECT CASE WHEN has_sequence_privilege('fhir_store.snapshot_floor', 'SELECT, USAGE')
        THEN ${latestTime} ELSE ${databaseClock} END AS requested_at OFFSET 0
    ) r`,
};

/** Both by the database's clock, in epoch milliseconds. */
export interface Snapshot {
  /** The snapshot time, exclusive (see schema/snapshot-time.ts). */
  readonly at: number;
  /**
   * When it was requested. A write that was acknowledged before is in the snapshot if this plus MAX_LEAD_MS is before
   * `at`.
   */
  readonly requestedAt: number;
}

/** Takes a snapshot time, in about 50 ms. An open writing transaction holds it back. */
export async function takeSnapshot(pool: Pool): Promise<Snapshot> {
  const [row] = await run(pool, selectSnapshotTime, [MAX_LEAD_MS]);
  return { at: Number(row?.[0]), requestedAt: Number(row?.[1]) };
}

/**
 * A snapshot time, exclusive, in epoch milliseconds. No version becomes visible later with a commit timestamp before
 * it. Writes that were acknowledged before this call have timestamps before it, unless a writing transaction stays open
 * for longer than the wait. The call takes about 50 ms, and waits for the open writes.
 * @param pool of the primary, where the writers are
 * @param options.maxWaitMs the maximum wait for open writes, in milliseconds. Default 1,000.
 */
export async function snapshotTime(
  pool: Pool,
  { maxWaitMs = 1000 }: { readonly maxWaitMs?: number } = {},
): Promise<number> {
  const deadline = Date.now() + maxWaitMs;
  let acknowledgedUntil: number | undefined;
  for (;;) {
    const { at, requestedAt } = await takeSnapshot(pool);
    // A write may be acknowledged this long before its commit timestamp.
    acknowledgedUntil ??= requestedAt + MAX_LEAD_MS;
    if (at > acknowledgedUntil || Date.now() > deadline) return at;
  }
}
