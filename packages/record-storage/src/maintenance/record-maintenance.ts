import type { Pool } from 'pg';
import { RecordDestroyedError } from '../errors';
import { takeSnapshot } from '../export/snapshot-time';
import type { RecordKeyStore } from '../keys/record-key-store';
import type { TypeCode } from '../type-codes';
import { smallintArray } from '../postgres/binary-arrays';
import { type Row, inTransaction, run } from '../postgres/statement';
import { type UnreadableBlock, compactRecord } from './compact-record';
import { findCandidateTypeCodes } from './compaction-statements';
import * as queue from './queue-statements';
import { RETIRED_BLOCK_LIFETIME_MS } from '../snapshot-lifetime';

export interface MaintenanceOptions {
  /** How long a record stays reserved for the process that compacts it, in milliseconds. Default two minutes. */
  readonly leaseMs?: number;
  /** The approximate number of changes that one step of discovery reads. Default 5,000. */
  readonly maxChanges?: number;
}

/** The result of the compaction of one record. */
export interface CompactedRecord {
  readonly userId: number;
  readonly retired: number;
  readonly written: number;
  /** The number of consecutive failures. */
  readonly failures: number;
  /** Blocks that could not be read. The other blocks were compacted. */
  readonly unreadable: readonly UnreadableBlock[];
  /** Why the record as a whole could not be compacted. */
  readonly error?: Error;
}

/** The maximum number of transactions on one record before the next record is compacted. */
const MAX_TRANSACTIONS = 16;
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 6 * 3600 * 1000;
/** The pause, in milliseconds, before a record is compacted again after concurrent writers changed its blocks. */
const CONTENDED_MS = 1000;

/**
 * Compacts records and purges the blocks that compactions replaced. Any number of processes may do so at once; the
 * queue in the database gives each record to one of them at a time. The amount of work depends on the writes and
 * deletions since the last call, not on the size of the store. Each method does a bounded part of the work, may be
 * interrupted anywhere, and keeps no state between calls.
 */
export class RecordMaintenance {
  constructor(
    private readonly pool: Pool,
    private readonly keyStore: RecordKeyStore,
    private readonly options: MaintenanceOptions,
  ) {}

  /**
   * Adds the records that changed since the last call of any process to the queue. Every change before the snapshot
   * time is visible, so none is missed.
   * @returns whether there are more changes to read
   */
  async discover(): Promise<boolean> {
    const { at: before } = await takeSnapshot(this.pool);
    let hasMore = false;
    for (const stream of queue.changeStreams) hasMore = (await this.readPage(stream, before)) || hasMore;
    return hasMore;
  }

  /**
   * Adds the records of the next changes of a stream to the queue.
   * @returns whether there are more changes; also false while another process reads the stream
   */
  private readPage(stream: queue.ChangeStream, before: number): Promise<boolean> {
    return inTransaction(this.pool, async (connection) => {
      await connection.query('BEGIN');
      const [cursor] = await run(connection, queue.lockCursor, [stream.name]);
      const from = Number(cursor?.[0]);
      if (!cursor || from >= before) return false;
      const [last] = await run(connection, stream.endOfPage(this.options.maxChanges ?? 5000), [from, before]);
      const end = last ? Number(last[0]) + 1 : before;
      await run(connection, stream.enqueue, [from, end]);
      await run(connection, queue.moveCursor, [stream.name, end]);
      return last !== undefined;
    });
  }

  /**
   * Compacts the record that has been due for longest. A record that fails returns to the queue; the pause before the
   * next attempt grows from a minute to six hours.
   * @returns undefined if no record is due
   */
  async compactNext(signal?: AbortSignal): Promise<CompactedRecord | undefined> {
    const [row] = await run(this.pool, queue.claim, [this.options.leaseMs ?? 120_000]);
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

  /** The number of records in the queue, and of those among them whose last compaction failed. */
  async waiting(): Promise<{ records: number; failing: number }> {
    const [row] = await run(this.pool, queue.countQueue, []);
    return { records: row?.[0] as number, failing: row?.[1] as number };
  }

  /**
   * Deletes some of the retired blocks that are too old for any export to read.
   * @param before epoch milliseconds; default: 25 hours ago by the clock of the database
   * @returns the number of deleted blocks; 0 if none is left
   */
  async purge(before?: number): Promise<number> {
    return (await run(this.pool, queue.purgeRetired, [before ?? null, RETIRED_BLOCK_LIFETIME_MS])).length;
  }
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

/** The pause, in milliseconds, before a record is compacted again after this number of consecutive failures. */
function pauseAfter(failures: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
}
