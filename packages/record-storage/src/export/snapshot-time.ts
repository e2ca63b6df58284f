import type { Pool } from 'pg';
import { type Statement, run } from '../postgres/statement';
import { MAX_LEAD_MS } from '../write/commit-timestamps';

/** $1 lead. The time, and when it was asked for by the database's clock. */
const snapshotTime: Statement = {
  name: 'snapshot-time',
  text: `SELECT fhir_store.snapshot_time($1), floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint`,
};

/** Both by the database's clock, in epoch milliseconds. */
export interface Snapshot {
  /** The snapshot time, exclusive (see schema/snapshot-time.ts). */
  readonly at: number;
  /** When it was asked for: what was answered before is in the snapshot if this plus FORESIGHT_MS lies before `at`. */
  readonly requestedAt: number;
}

/** Takes a snapshot time, in about 50 ms. It lies back when a transaction that writes is open. */
export async function takeSnapshot(pool: Pool): Promise<Snapshot> {
  const [row] = await run(pool, snapshotTime, [MAX_LEAD_MS]);
  return { at: Number(row?.[0]), requestedAt: Number(row?.[1]) };
}
