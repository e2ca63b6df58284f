import { setTimeout as pause } from 'node:timers/promises';
import type { RecordStorage } from '@tributary/record-storage';
import { describeError } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { finishDestructions, reportRecordsWithoutKey } from '../deletions/finish-destructions';

export interface UpkeepParts {
  storage: RecordStorage;
  pool: Pool;
  log: Logger;
  /** Time between two rounds. */
  intervalMs?: number;
}

const usersAtOnce = 50;
const lock = 'fhir-store upkeep';

/** Merges the small blocks of records, purges replaced ones and wraps keys anew after a rotation, in the background. Of several replicas one does it at a time. */
export class Upkeep {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #areKeysCurrent = false;

  constructor(private readonly parts: UpkeepParts) {}

  start(): void {
    this.#running = this.#run();
  }

  /** Ends after the record at hand. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { log, intervalMs = 60_000 } = this.parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.round().catch((error: unknown) => log.warn({ err: describeError(error) }, 'upkeep failed; it is tried again'));
    }
  }

  /** One round over all records that are worth it; nothing when another replica is at it. */
  async round(): Promise<void> {
    const connection = await this.parts.pool.connect();
    try {
      const { rows } = await connection.query<{ held: boolean }>('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held', [lock]);
      if (!rows[0]?.held) return;
      try {
        await finishDestructions(this.parts.storage, this.parts.log);
        await this.#checkKeys();
        await this.#mergeAndPurge();
      } finally {
        await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [lock]);
      }
    } finally {
      connection.release();
    }
  }

  /** Once for each start, with which a new key-encryption key comes, or a restored backup. */
  async #checkKeys(): Promise<void> {
    if (this.#areKeysCurrent) return;
    const { storage, log } = this.parts;
    await reportRecordsWithoutKey(storage, log);
    const { rewrapped, unopened } = await storage.rewrapClientKeys();
    this.#areKeysCurrent = true;
    if (rewrapped > 0) log.info({ rewrapped }, 'the keys of clients are wrapped by the new key-encryption key');
    if (unopened > 0) log.warn({ unopened }, 'keys of clients are wrapped by a key-encryption key that is not in the key file');
  }

  async #mergeAndPurge(): Promise<void> {
    const { storage, log } = this.parts;
    let merged = 0;
    for (let after = 0; !this.#stopping.signal.aborted; ) {
      const users = await storage.usersToMerge(after, usersAtOnce);
      for (const userId of users) {
        if (this.#stopping.signal.aborted) break;
        merged += (await storage.mergeSmallBlocks(userId)).retired;
      }
      if (users.length < usersAtOnce) break;
      after = users.at(-1) ?? after;
    }
    const purged = await storage.purgeRetiredBlocks();
    if (merged > 0 || purged > 0) log.info({ merged, purged }, 'upkeep of blocks');
  }
}
