import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@tributary/service-kit';
import type { Pool } from 'pg';

export interface SnapshotsOptions {
  /** Gives a time for a snapshot; asked of the primary, where the writers are. */
  snapshotTime(): Promise<number>;
  /** The primary database. */
  primary: Pool;
  /** A replica, when records are read from one. */
  replica?: Pool;
  /** How long a replica may lag behind before callers are sent away. */
  patienceMs?: number;
}

/** Everything answered before lies before this place: a replica that has come so far has it all. */
const placeOfPrimary = `SELECT pg_current_wal_flush_lsn()::text AS place`;
const replicaIsBehind = `SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() < $1::pg_lsn AS behind`;

/** The snapshots of exports, and the wait for a replica to have them. */
export class Snapshots {
  constructor(private readonly options: SnapshotsOptions) {}

  /** A time for a snapshot, exclusive, once the records can be read as of then. @throws HttpError 503 when the replica lags too far behind */
  async take(): Promise<number> {
    const at = await this.options.snapshotTime();
    await this.readable();
    return at;
  }

  /** Waits until all snapshots taken so far can be read: another process may have taken one, by another replica. */
  async readable(): Promise<void> {
    const { primary, replica, patienceMs = 10_000 } = this.options;
    if (!replica) return;
    const place = (await primary.query<{ place: string }>(placeOfPrimary)).rows[0]?.place;
    const end = Date.now() + patienceMs;
    while ((await replica.query<{ behind: boolean }>(replicaIsBehind, [place])).rows[0]?.behind) {
      if (Date.now() > end) throw unavailable('the database replica lags behind: try again');
      await pause(10);
    }
  }
}
