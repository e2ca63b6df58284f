import type { Pool, PoolClient } from 'pg';
import { RecordDestroyedError } from '../errors';
import { takeSnapshot } from '../export/snapshot-time';
import type { RecordKeyStore } from '../keys/record-key-store';
import type { TypeCode } from '../type-codes';
import { smallintArray } from '../postgres/binary-arrays';
import { type Row, run, withConnection } from '../postgres/statement';
import { type UnreadableBlock, compactRecord } from './compact-record';
import { findCandidateTypeCodes } from './compaction-statements';
import * as queue from './queue-statements';
import { RETIRED_BLOCK_LIFETIME_MS } from '../snapshot-lifetime';

export interface MaintenanceOptions {
  readonly pool: Pool;
  readonly keyStore: RecordKeyStore;
  /** How long a record stays reserved for the process that compacts it, in milliseconds. Default two minutes. */
  readonly leaseMs?: number;
  /** How many changes one step of discovery reads, about. Default 5,000. */
  readonly maxChanges?: number;
}

/** What became of one record. */
export interface CompactedRecord {
  readonly userId: number;
  readonly retired: number;
  readonly written: number;
  /** How often it has failed in a row; 0 when it has not. */
  readonly failures: number;
  /** Blocks that could not be read; the others were compacted. */
  readonly unreadable: readonly UnreadableBlock[];
  /** Why the record as a whole could not be compacted. */
  readonly error?: Error;
}

/** Transactions on one record before others have their turn. */
const MAX_TRANSACTIONS = 16;
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 6 * 3600 * 1000;
/** Before a record is tried again on which writers got in between. */
const CONTENDED_MS = 1000;

/**
 * Compacts records and purges what compactions replaced. Any number of processes may do it at once; the queue in the
 * database gives each record to one of them at a time. The work follows from what was written or deleted since the last
 * time, not from what is stored; each method does a bounded part of it, may be cut off anywhere, and needs no memory
 * between two calls.
 */
export class RecordMaintenance {
  private readonly pool: Pool;
  private readonly keyStore: RecordKeyStore;
  private readonly leaseMs: number;
  private readonly maxChanges: number;

  constructor({ pool, keyStore, leaseMs = 120_000, maxChanges = 5000 }: MaintenanceOptions) {
    this.pool = pool;
    this.keyStore = keyStore;
    this.leaseMs = leaseMs;
    this.maxChanges = maxChanges;
  }

  /**
   * Puts records that changed since the last call, by whichever process, into the queue. Everything before the snapshot
   * time is stored, so nothing is passed over.
   * @returns whether there is more to discover
   */
  async discover(): Promise<boolean> {
    const { at: before } = await takeSnapshot(this.pool);
    const more = [await this.read('block', before), await this.read('deletion', before)];
    return more.includes(true);
  }

  private read(stream: queue.ChangeStream, before: number): Promise<boolean> {
    return withConnection(this.pool, async (connection) => {
      try {
        await connection.query('BEGIN');
        const more = await readPage(connection, stream, before, this.maxChanges);
        await connection.query('COMMIT');
        return more;
      } catch (error) {
        await connection.query('ROLLBACK').catch(() => undefined);
        throw error;
      }
    });
  }

  /**
   * Compacts the record that is due longest. One that fails is put back and tried again after a pause that grows from a
   * minute to six hours.
   * @returns undefined when none is due
   */
  async compactNext(signal?: AbortSignal): Promise<CompactedRecord | undefined> {
    const [row] = await run(this.pool, queue.claim, [this.leaseMs]);
    return row && this.compact(readTask(row), signal);
  }

  private async compact(
    { userId, typeCodes, lease, failures }: Task,
    signal: AbortSignal | undefined,
  ): Promise<CompactedRecord> {
    try {
      const candidates = (await run(this.pool, findCandidateTypeCodes, [userId, smallintArray(typeCodes)])).map(
        ([typeCode]) => typeCode as TypeCode,
      );
      const scope = { typeCodes: candidates, maxTransactions: MAX_TRANSACTIONS, ...(signal ? { signal } : {}) };
      const keys = candidates.length > 0 ? await this.keyStore.find(userId) : undefined;
      const nothing = { retired: 0, written: 0, more: false, unreadable: [] };
      const { more, ...result } = keys ? await compactRecord(this.pool, keys, scope) : nothing;
      const failed = result.unreadable.length > 0 ? failures + 1 : 0;
      if (more) await run(this.pool, queue.postpone, [userId, lease, result.retired > 0 ? 0 : CONTENDED_MS, failures]);
      else if (failed > 0) await run(this.pool, queue.postpone, [userId, lease, pauseAfter(failed), failed]);
      else await run(this.pool, queue.complete, [userId, lease]);
      return { userId, ...result, failures: failed };
    } catch (error) {
      const destroyed = error instanceof RecordDestroyedError;
      if (destroyed) await run(this.pool, queue.complete, [userId, lease]);
      else await run(this.pool, queue.postpone, [userId, lease, pauseAfter(failures + 1), failures + 1]);
      const failed = destroyed ? { failures: 0 } : { failures: failures + 1, error: error as Error };
      return { userId, retired: 0, written: 0, unreadable: [], ...failed };
    }
  }

  /** How many records wait to be compacted, and how many of them because they failed. */
  async waiting(): Promise<{ records: number; failing: number }> {
    const [row] = await run(this.pool, queue.countQueue, []);
    return { records: row?.[0] as number, failing: row?.[1] as number };
  }

  /**
   * Deletes some of the blocks that were replaced so long ago that no export can ask for them.
   * @param before epoch milliseconds; left out: 25 hours ago by the clock of the database
   * @returns how many; 0 when there are no more
   */
  async purge(before?: number): Promise<number> {
    return (await run(this.pool, queue.purgeRetired, [before ?? null, RETIRED_BLOCK_LIFETIME_MS])).length;
  }
}

/**
 * Queues the records of the next changes of a stream. @returns whether there are more; false, too, while another
 * process reads it
 */
async function readPage(
  connection: PoolClient,
  stream: queue.ChangeStream,
  before: number,
  changes: number,
): Promise<boolean> {
  const [cursor] = await run(connection, queue.lockCursor, [stream]);
  const from = Number(cursor?.[0]);
  if (!cursor || from >= before) return false;
  const [last] = await run(connection, queue.endOfPage[stream](changes), [from, before]);
  const end = last ? Number(last[0]) + 1 : before;
  await run(connection, queue.enqueueChanges[stream], [from, end]);
  await run(connection, queue.moveCursor, [stream, end]);
  return last !== undefined;
}

interface Task {
  readonly userId: number;
  readonly typeCodes: readonly TypeCode[];
  readonly lease: string;
  readonly failures: number;
}

function readTask([userId, typeCodes, lease, failures]: Row): Task {
  return {
    userId: Number(userId),
    typeCodes: (typeCodes as string).slice(1, -1).split(',').map(Number),
    lease: lease as string,
    failures: failures as number,
  };
}

/** Milliseconds before a record is tried again that has failed so often in a row. */
function pauseAfter(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
}
