import { type CompactedRecord, type RecordMaintenance, typeOfCode } from '@tributary/record-storage';
import { type PeriodicTask, describeError, startPeriodicTask } from '@tributary/service-kit';
import type { Pool } from 'pg';
import { deleteOldUnresolvedReferences } from '../collection/unresolved-references';
import { finishDestructions, reportRecordsWithoutKey } from '../deletions/finish-destructions';
import { Reindexing, type ReindexingDependencies } from './reindexing';

export interface MaintenanceDependencies extends ReindexingDependencies {
  pool: Pool;
  /** Time between two rounds, in milliseconds. */
  intervalMs?: number;
}

/** The limit of steps in one round. When more work is due, the next round starts immediately. */
const maxSteps = 200;
/** How often the keys of clients are checked, in milliseconds: there is one for each client. */
const rewrapEveryMs = 3_600_000;
/** The limit of blocks in a log line. */
const maxReported = 20;

/**
 * Periodically compacts the blocks of records, purges replaced blocks, finishes destructions, re-indexes records after
 * an upgrade and rewraps keys after a rotation of the key-encryption key. All replicas run the loop; the database
 * assigns each record to one replica. A failed part does not affect the others.
 */
export class MaintenanceLoop {
  readonly #stopping = new AbortController();
  readonly #maintenance: RecordMaintenance;
  #task: PeriodicTask | undefined;
  readonly #reindexing: Reindexing;
  #areMissingKeysReported = false;
  /** Monotonic milliseconds. */
  #rewrappedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly dependencies: MaintenanceDependencies) {
    this.#maintenance = dependencies.storage.maintenance();
    this.#reindexing = new Reindexing(dependencies);
  }

  start(): void {
    const { intervalMs = 60_000, log } = this.dependencies;
    this.#task = startPeriodicTask({ name: 'the maintenance of records', intervalMs, run: () => this.round(), log });
  }

  /** Resolves after the current transaction. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#task?.stop();
  }

  /** Runs all parts once. @returns whether more work is due */
  async round(): Promise<boolean> {
    const more = [
      await this.#attempt('deleting the rows of destroyed records', () => this.#finishDestructions()),
      await this.#attempt('rewrapping the keys of clients', () => this.#checkKeys()),
      await this.#attempt('finding records to compact', () => this.#maintenance.discover()),
      await this.#attempt('compacting records', () => this.#compact()),
      await this.#attempt('re-indexing records', () => this.#reindexing.round(this.#stopping.signal)),
      await this.#attempt('purging replaced blocks', () => this.#purge()),
      await this.#attempt('deleting abandoned content', () => this.#deleteAbandonedContent()),
      await this.#attempt('forgetting old unresolved references', () => this.#deleteOldUnresolvedReferences()),
    ];
    return more.includes(true);
  }

  /** Runs one part. A failed part is repeated in the next round. */
  async #attempt(what: string, work: () => Promise<boolean>): Promise<boolean> {
    if (this.#stopping.signal.aborted) return false;
    try {
      return await work();
    } catch (error) {
      this.dependencies.log.warn({ err: describeError(error) }, `${what} failed; it is tried again`);
      return false;
    }
  }

  async #finishDestructions(): Promise<boolean> {
    await finishDestructions(this.dependencies.storage, this.dependencies.log);
    return false;
  }

  /**
   * Missing keys are looked for once per start, as a restored backup requires a restart. The key-encryption key may
   * change at any time.
   */
  async #checkKeys(): Promise<boolean> {
    const { storage, log } = this.dependencies;
    if (!this.#areMissingKeysReported) await reportRecordsWithoutKey(storage, log);
    this.#areMissingKeysReported = true;
    const startedAt = performance.now();
    if (startedAt - this.#rewrappedAt < rewrapEveryMs) return false;
    const { rewrapped, unopened, unopenedIds } = await storage.rewrapClientKeys();
    this.#rewrappedAt = startedAt;
    if (rewrapped > 0) log.info({ rewrapped }, 'the keys of clients are wrapped by the new key-encryption key');
    if (unopened > 0)
      log.warn(
        { unopened, client_ids: unopenedIds },
        'keys of clients are wrapped by a key-encryption key that is not known',
      );
    return false;
  }

  async #compact(): Promise<boolean> {
    const { signal } = this.#stopping;
    let [records, retired, written] = [0, 0, 0];
    for (; records < maxSteps && !signal.aborted; records++) {
      const record = await this.#maintenance.compactNext(signal);
      if (!record) break;
      retired += record.retired;
      written += record.written;
      if (record.failures > 0) this.#report(record);
    }
    if (records > 0) this.dependencies.log.info({ records, retired, written }, 'blocks of records are compacted');
    return records === maxSteps;
  }

  /** Logs the ids of unreadable blocks, without content. */
  #report({ userId, failures, unreadable, error }: CompactedRecord): void {
    const blocks = unreadable
      .slice(0, maxReported)
      .map(({ typeCode, blockId }) => ({ type: typeOfCode(typeCode), block_id: blockId }));
    const reason = describeError(error ?? unreadable[0]?.error);
    this.dependencies.log.warn(
      { service_user_id: userId, failures, unreadable: unreadable.length, blocks, err: reason },
      'a record cannot be compacted as a whole; it is tried again later',
    );
  }

  async #purge(): Promise<boolean> {
    const { count: purged, isMore } = await this.#inSteps(() => this.#maintenance.purge());
    if (purged > 0) this.dependencies.log.info({ purged }, 'replaced blocks are purged');
    return isMore;
  }

  async #deleteAbandonedContent(): Promise<boolean> {
    const { count: deleted, isMore } = await this.#inSteps(() => this.dependencies.storage.deleteAbandonedContent());
    if (deleted > 0) this.dependencies.log.info({ deleted }, 'content that was uploaded in vain is deleted');
    return isMore;
  }

  async #deleteOldUnresolvedReferences(): Promise<boolean> {
    const { count: forgotten, isMore } = await this.#inSteps(() =>
      deleteOldUnresolvedReferences(this.dependencies.pool),
    );
    if (forgotten > 0)
      this.dependencies.log.info(
        { forgotten },
        'unresolved references of resources that are no longer collected are forgotten',
      );
    return isMore;
  }

  /** Repeats work until it returns 0 or the limit of steps is reached. */
  async #inSteps(work: () => Promise<number>): Promise<{ count: number; isMore: boolean }> {
    let count = 0;
    for (let step = 0; step < maxSteps && !this.#stopping.signal.aborted; step++) {
      const done = await work();
      if (done === 0) return { count, isMore: false };
      count += done;
    }
    return { count, isMore: !this.#stopping.signal.aborted };
  }
}
