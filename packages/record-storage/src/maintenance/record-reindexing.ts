import { INDEX_VERSION } from '@tributary/fhir-search';
import type { Pool } from 'pg';
import type { RecordKeyStore } from '../keys/record-key-store';
import { run } from '../postgres/statement';
import { type ExtractIndexValues, reindexRecord } from './reindex-record';
import { countOutdated, extendLease, leaseRecord } from './reindex-statements';

/**
 * How long a record stays reserved for the process that re-indexes it, in milliseconds; the lease is extended during
 * the work.
 */
const LEASE_MS = 60_000;
const RETRY_MS = 3_600_000;
/** The index version and the user before those of all records. */
const FROM_START: readonly [number, number] = [0, 0];

/** The result of re-indexing one record. */
export interface ReindexedRecord {
  readonly userId: number;
  readonly rows: number;
  /** Why the record could not be re-indexed. Searches in it continue to evaluate the content of its resources. */
  readonly error?: Error;
}

export interface ReindexProgress {
  /** Records, other than destroyed ones, that have or may have rows of older index rules. */
  readonly records: number;
  /** Those of them that are being re-indexed, or wait for a retry after a failure. */
  readonly leased: number;
  /** The estimated number of rows of these records, from the statistics of PostgreSQL. */
  readonly rows: number;
}

/**
 * Re-indexes records after an upgrade that changed the index rules (`INDEX_VERSION`). Any number of processes may do so
 * at once; a lease in the database gives each record to one of them. The work may be interrupted anywhere: rows that
 * are re-indexed stay so.
 */
export class RecordReindexing {
  /** The record of the last lease: the next search for a record continues after it. */
  private lastLease = FROM_START;

  /** @param retryMs the pause before a record whose re-indexing failed is tried again. Default one hour. */
  constructor(
    private readonly pool: Pool,
    private readonly keyStore: RecordKeyStore,
    private readonly extractIndexValues: ExtractIndexValues,
    private readonly retryMs = RETRY_MS,
  ) {}

  /**
   * Re-indexes the next record that is due.
   * @returns undefined if no record is due
   */
  async reindexNext(signal?: AbortSignal): Promise<ReindexedRecord | undefined> {
    const userId = await this.lease();
    return userId === undefined ? undefined : this.reindex(userId, signal);
  }

  async progress(): Promise<ReindexProgress> {
    const [row] = await run(this.pool, countOutdated, []);
    const records = Number(row?.[0]);
    return { records, leased: Number(row?.[1]), rows: Math.round(records * Number(row?.[2])) };
  }

  private async reindex(userId: number, signal: AbortSignal | undefined): Promise<ReindexedRecord> {
    const { pool, keyStore, extractIndexValues } = this;
    let extendAt = Date.now() + LEASE_MS / 3;
    const onProgress = async (): Promise<void> => {
      signal?.throwIfAborted();
      if (Date.now() < extendAt) return;
      await run(pool, extendLease, [userId, LEASE_MS]);
      extendAt = Date.now() + LEASE_MS / 3;
    };
    try {
      const keys = await keyStore.find(userId);
      if (!keys) return { userId, rows: 0 };
      const { rows, isCurrent } = await reindexRecord(pool, keys, extractIndexValues, onProgress);
      if (isCurrent) keys.indexVersion = INDEX_VERSION;
      return { userId, rows };
    } catch (error) {
      if (signal?.aborted) {
        await run(pool, extendLease, [userId, 0]);
        return { userId, rows: 0 };
      }
      await run(pool, extendLease, [userId, this.retryMs]);
      return { userId, rows: 0, error: error as Error };
    }
  }

  private async lease(): Promise<number | undefined> {
    // When none is left, the search starts again from the first record, since leases may have expired.
    for (const after of new Set([this.lastLease, FROM_START])) {
      const [row] = await run(this.pool, leaseRecord, [...after, LEASE_MS]);
      this.lastLease = row ? [row[0] as number, Number(row[1])] : FROM_START;
      if (row) return this.lastLease[1];
    }
    return undefined;
  }
}
