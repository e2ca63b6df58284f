import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@tributary/service-kit';
import type { Pool } from 'pg';

export interface SnapshotsOptions {
  /** Gives a time for a snapshot; asked of the primary, where the writers are. */
  snapshotTime(): Promise<number>;
  /** The primary database. */
  primary: Pool;
  /** A replica, when records are read from one: a single server, for another one behind the same address could be further behind. */
  replica?: Pool;
  /** How long a replica may lag behind before callers are sent away. */
  timeoutMs?: number;
}

/** Identifies the server and its cluster: a streaming replica has the system identifier of its primary, a logical replica does not. */
const identity = `(SELECT system_identifier::text FROM pg_control_system()) AS cluster, pg_postmaster_start_time()::text AS started`;

/** All commits that were acknowledged before have a lower LSN. A replica that has replayed up to this LSN contains them. */
const lsnOfPrimary = `SELECT pg_current_wal_flush_lsn()::text AS lsn, ${identity}`;
const stateOfReplica = `SELECT pg_is_in_recovery() AS recovering, coalesce(pg_last_wal_replay_lsn() < $1::pg_lsn, false) AS behind, ${identity}`;

interface Server {
  cluster: string;
  started: string;
}

/** The snapshots of exports, and the wait for a replica to have them. */
export class Snapshots {
  constructor(private readonly options: SnapshotsOptions) {}

  /** A time for a snapshot, exclusive, once the records can be read as of then. @throws HttpError 503 when the replica lags too far behind, or is none */
  async take(): Promise<number> {
    const at = await this.options.snapshotTime();
    await this.readable();
    return at;
  }

  /** Waits until all snapshots taken so far can be read: another process may have taken one, by another replica. */
  async readable(): Promise<void> {
    const { primary, replica, timeoutMs = 10_000 } = this.options;
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
