import { setTimeout as pause } from 'node:timers/promises';
import { snapshotTime } from '@tributary/record-storage';
import { unavailable } from '@tributary/service-kit';
import type { Pool } from 'pg';

/**
 * Identifies the server and its cluster: a streaming replica has the system identifier of its primary, a logical
 * replica does not.
 */
const identity = `(SELECT system_identifier::text FROM pg_control_system()) AS cluster, pg_postmaster_start_time()::text AS started`;

/**
 * All commits that were acknowledged before have a lower LSN. A replica that has replayed up to this LSN contains them.
 */
const lsnOfPrimary = `SELECT pg_current_wal_flush_lsn()::text AS lsn, ${identity}`;
const stateOfReplica = `SELECT pg_is_in_recovery() AS recovering, coalesce(pg_last_wal_replay_lsn() < $1::pg_lsn, false) AS behind, ${identity}`;

interface Server {
  cluster: string;
  started: string;
}

/** Takes the snapshot times of exports, and waits until the replica has replayed them. */
export class Snapshots {
  /**
   * @param primary the database where the writers are
   * @param replica that records are read from, if any. It must be a single server: another one behind the same address
   * can lag further
   * @param timeoutMs how long to wait for the replica before callers get 503, in milliseconds
   */
  constructor(
    private readonly primary: Pool,
    private readonly replica?: Pool,
    private readonly timeoutMs = 10_000,
  ) {}

  /**
   * Takes a snapshot time (exclusive, epoch milliseconds). Resolves when the records can be read as of this time.
   * @throws HttpError 503 when the replica lags for longer than `timeoutMs`, or does not replicate the primary
   */
  async take(): Promise<number> {
    const at = await snapshotTime(this.primary);
    await this.readable();
    return at;
  }

  /**
   * Waits until all snapshots taken so far can be read. Another process may have taken a snapshot with another replica.
   * @throws HttpError 503 when the replica lags for longer than `timeoutMs`, or does not replicate the primary
   */
  async readable(): Promise<void> {
    const { primary, replica, timeoutMs } = this;
    if (!replica) return;
    const source = (await primary.query<Server & { lsn: string }>(lsnOfPrimary)).rows[0]!;
    const end = Date.now() + timeoutMs;
    for (;;) {
      const state = (
        await replica.query<Server & { recovering: boolean; behind: boolean }>(stateOfReplica, [source.lsn])
      ).rows[0]!;
      if (state.cluster !== source.cluster || (!state.recovering && state.started !== source.started))
        throw unavailable('the records database is neither the primary nor a streaming replica of it');
      if (!state.recovering || !state.behind) return;
      if (Date.now() > end) throw unavailable('the database replica lags behind: try again');
      await pause(10);
    }
  }
}
