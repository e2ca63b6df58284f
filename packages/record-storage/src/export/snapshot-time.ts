import type { Pool } from 'pg';
import { type Statement, run } from '../postgres/statement';
import { MAX_LEAD_MS } from '../write/commit-timestamps';

/**
 * $1 maximum lead in milliseconds. Columns: the snapshot time, and when it was requested, both by the clock of the
 * database.
 */
const snapshotTime: Statement = {
  name: 'snapshot-time',
  text: `SELECT fhir_store.snapshot_time($1), floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint`,
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
  const [row] = await run(pool, snapshotTime, [MAX_LEAD_MS]);
  return { at: Number(row?.[0]), requestedAt: Number(row?.[1]) };
}
