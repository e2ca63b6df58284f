import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyEncryptionKey } from '@tributary/key-vault';
import type { ObjectStorage } from '@tributary/object-storage';
import { type ExportedRecords, exportedRecords, snapshotTime } from '@tributary/record-storage';
import type { openPool } from '@tributary/service-kit';

type Pool = ReturnType<typeof openPool>;

/** The storage that exports are read from. */
export interface ExportSource {
  readonly records: ExportedRecords;
  /** Takes a snapshot time, in epoch milliseconds. */
  snapshotTime(): Promise<number>;
}

const lookEveryMs = 10;
/** A replica connects again within seconds after its primary was killed. */
const replayedWithinMs = 60_000;

/** @param replica where the records are read; the primary without it */
export function exportSourceOf(
  { primary, replica, objects }: { primary: Pool; replica: Pool | undefined; objects: ObjectStorage | undefined },
  kek: KeyEncryptionKey,
): ExportSource {
  return {
    records: exportedRecords(replica ?? primary, kek, objects),
    snapshotTime: async () => {
      const at = await snapshotTime(primary);
      if (replica) await untilReplayed(primary, replica);
      return at;
    },
  };
}

/** Waits until the replica has what the primary had acknowledged at the call. @throws Error when it takes too long */
async function untilReplayed(primary: Pool, replica: Pool): Promise<void> {
  const flushed = await primary.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn');
  const isReplayed = 'SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn AS replayed';
  const deadline = performance.now() + replayedWithinMs;
  for (;;) {
    const { rows } = await replica.query<{ replayed: boolean }>(isReplayed, [flushed.rows[0]?.lsn]);
    if (rows[0]?.replayed) return;
    if (performance.now() > deadline) throw new Error('the replica of PostgreSQL does not follow');
    await sleep(lookEveryMs);
  }
}
