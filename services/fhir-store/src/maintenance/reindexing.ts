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

/** The limit of records in one round. When more are due, the next round follows at once. */
const maxRecords = 500;

const maxPauseMs = 1000;

/** The values by which a stored resource is found, by the rules of this code. */
export const extractIndexValues: ExtractIndexValues = (typeCode, json) =>
  indexValues(releaseOfCode(typeCode), parseResource(json));

export interface ReindexingParts {
  storage: RecordStorage;
  log: Logger;
  /**
   * How long after the start it begins, in milliseconds; at once by default. A replica of an earlier version writes rows by earlier rules, which a record that counts as
   * current must not get: it must have ended by then.
   */
  reindexAfterMs?: number;
}

/**
 * Re-indexes records after an upgrade that changed the index rules, see `INDEX_VERSION`. All replicas do it at once; the database gives each record to one of them. One that
 * cannot be re-indexed is passed over and tried again after an hour; its searches are exact all the same, since they decide on content.
 */
export class Reindexing {
  readonly #records: RecordReindexing;
  readonly #startAt: number;
  #reportAt = 0;

  constructor(private readonly parts: ReindexingParts) {
    this.#records = parts.storage.reindexing(extractIndexValues);
    this.#startAt = Date.now() + (parts.reindexAfterMs ?? 0);
  }

  /** @returns whether there is more to do at once */
  async round(signal: AbortSignal): Promise<boolean> {
    const { log } = this.parts;
    if (Date.now() < this.#startAt) return false;
    let [records, rows, failed] = [0, 0, 0];
    while (records < maxRecords && !signal.aborted) {
      const startedAt = performance.now();
      const record = await this.#records.reindexNext(signal);
      if (!record) break;
      // Requests share the process: it is left to them for as long again.
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
    if (records > 0) log.info({ records, rows, failed, ...(await this.#left()) }, 'records are re-indexed');
    return records === maxRecords;
  }

  /** What is left, once a minute: it is counted over all records. */
  async #left(): Promise<{ left?: ReindexProgress }> {
    if (Date.now() < this.#reportAt) return {};
    this.#reportAt = Date.now() + 60_000;
    return { left: await this.#records.progress() };
  }
}
