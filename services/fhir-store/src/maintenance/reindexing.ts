import { setTimeout as pause } from 'node:timers/promises';
import { indexValues } from '@tributary/fhir-search';
import {
  type ExtractIndexValues,
  type RecordReindexing,
  type RecordStorage,
  type ReindexProgress,
  releaseOfCode,
} from '@tributary/record-storage';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { parseResource } from '../resources/resource-content';

/** The limit of records in one round. When more records are due, the next round starts immediately. */
const maxRecords = 500;

const maxPauseMs = 1000;

/** The index values of a stored resource, by the current index rules. */
export const extractIndexValues: ExtractIndexValues = (typeCode, json) =>
  indexValues(releaseOfCode(typeCode), parseResource(json));

export interface ReindexingDependencies {
  storage: RecordStorage;
  log: Logger;
  /**
   * The delay after the start in milliseconds, 0 by default. A replica of an earlier version writes index rows by
   * earlier rules. It must have stopped before re-indexing begins, because a record that is marked as current must not
   * get such rows.
   */
  reindexAfterMs?: number;
}

/**
 * Re-indexes records after an upgrade that changed the index rules, see `INDEX_VERSION`. All replicas take part; the
 * database assigns each record to one replica. A record that cannot be re-indexed is skipped and tried again after an
 * hour. Its searches stay exact, because they are decided on content.
 */
export class Reindexing {
  readonly #records: RecordReindexing;
  readonly #startAt: number;
  #reportAt = 0;

  constructor(private readonly dependencies: ReindexingDependencies) {
    this.#records = dependencies.storage.reindexing(extractIndexValues);
    this.#startAt = Date.now() + (dependencies.reindexAfterMs ?? 0);
  }

  /** Re-indexes some records. @returns whether more records are due */
  async round(signal: AbortSignal): Promise<boolean> {
    const { log } = this.dependencies;
    if (Date.now() < this.#startAt) return false;
    let [records, rows, failed] = [0, 0, 0];
    while (records < maxRecords && !signal.aborted) {
      const startedAt = performance.now();
      const record = await this.#records.reindexNext(signal);
      if (!record) break;
      // The pause is as long as the work, so that requests get at least half of the time of the process.
      await pause(Math.min(performance.now() - startedAt, maxPauseMs), undefined, { signal }).catch(() => undefined);
      records++;
      rows += record.rows;
      if (!record.error) continue;
      failed++;
      log.warn(
        { service_user_id: record.userId, err: describeError(record.error) },
        'a record cannot be re-indexed; it is tried again in an hour',
      );
    }
    if (records > 0) log.info({ records, rows, failed, ...(await this.#progress()) }, 'records are re-indexed');
    return records === maxRecords;
  }

  /** The progress, at most once a minute, because the query counts all records. */
  async #progress(): Promise<{ left?: ReindexProgress }> {
    if (Date.now() < this.#reportAt) return {};
    this.#reportAt = Date.now() + 60_000;
    return { left: await this.#records.progress() };
  }
}
