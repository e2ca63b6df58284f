import { CheckedKek, type KeyEncryptionKey, type RewrapResult } from '@tributary/key-vault';
import type { ObjectStorage } from '@tributary/object-storage';
import type { Pool } from 'pg';
import { ContentObjects } from './content-objects/content-objects';
import { RecordKeyStore } from './keys/record-key-store';
import type { ReadBudget } from './blocks/block-packing';
import type { Cancellation } from './postgres/statement';
import { PipelinedConnections } from './postgres/pipelined-connections';
import { UserPartitions } from './postgres/user-partitions';
import { OpenedBlocks } from './read/opened-blocks';
import { assertClientKeysFit, assertKeysPresent, recordsWithoutKey } from './maintenance/check-keys';
import type { CompactionResult } from './maintenance/compact-blocks';
import { compactRecord } from './maintenance/compact-record';
import { deleteAbandonedObjects } from './maintenance/delete-objects';
import {
  type DeleteDependentRows,
  type DestroyedRecord,
  reconcileDestroyed,
  deleteDestroyed,
  destroyKeysOf,
  destroyedRecords,
  unfinishedDestructions,
} from './maintenance/destroy';
import { type MaintenanceOptions, RecordMaintenance } from './maintenance/record-maintenance';
import { RecordReindexing } from './maintenance/record-reindexing';
import type { ExtractIndexValues } from './maintenance/reindex-record';
import { countClientKeys, isVersionStored, rewrapClientKeys } from './maintenance/rewrap';
import { type RecordProblem, type VerifiedRecord, verifyRecord } from './maintenance/verify-record';
import { MemoryIndexes } from './search/memory/memory-indexes';
import { UserRecord } from './user-record';
import { CommitTimestampAllocator } from './write/commit-timestamps';

export interface RecordStorageOptions {
  /** Connects as the role that owns the schemas `fhir_store` and `fhir_store_keys`. */
  readonly pool: Pool;
  readonly kek: KeyEncryptionKey;
  /**
   * The maximum length of the decrypted blocks that stay in memory for a minute after they were read, in bytes. Default
   * 64 MiB; with 0 none does.
   */
  readonly cachedBlockBytes?: number;
  /**
   * A type code of a record with at least this many resources is searched in memory when it is searched repeatedly.
   * Default 1,000.
   */
  readonly searchedInMemoryFrom?: number;
  /**
   * Whether single statements share a few connections in pipeline mode. Default true; otherwise each takes a connection
   * of the pool.
   */
  readonly pipelining?: boolean;
  /** Where large content is kept. Without it, all content is in the database. */
  readonly objects?: ObjectStorage | undefined;
  /** Deletes the rows of other modules on destroyed records, before the destruction counts as complete. */
  readonly deleteDependentRows?: DeleteDependentRows;
}

/** The maximum number of records whose unwrapped keys stay in memory. */
const CACHED_RECORDS = 10_000;
const DEFAULT_CACHED_BLOCK_BYTES = 64 * 1024 * 1024;

/** Destroyed records whose rows are deleted by one round of statements. */
const RECORDS_PER_DESTRUCTION = 200;

/** Stores the records of all users, each encrypted (AES-256-GCM) under its own key. */
export class RecordStorage {
  private readonly pool: Pool;
  private readonly kek: KeyEncryptionKey;
  private readonly checkedKek: CheckedKek;
  private readonly keyStore: RecordKeyStore;
  private readonly reads: PipelinedConnections;
  private readonly writes: PipelinedConnections;
  private readonly memoryIndexes: MemoryIndexes;
  private readonly timestamps = new CommitTimestampAllocator();
  private readonly deleteDependentRows: DeleteDependentRows;
  private readonly objects: ContentObjects | undefined;

  constructor({
    pool,
    kek,
    cachedBlockBytes = DEFAULT_CACHED_BLOCK_BYTES,
    searchedInMemoryFrom,
    pipelining = true,
    objects,
    deleteDependentRows = () => Promise.resolve(),
  }: RecordStorageOptions) {
    this.pool = pool;
    this.deleteDependentRows = deleteDependentRows;
    this.kek = kek;
    this.objects = objects && new ContentObjects(pool, objects);
    const connections = pipelining ? undefined : 0;
    const partitions = new UserPartitions(pool);
    this.reads = new PipelinedConnections(pool, 'repeatable', connections, partitions);
    this.writes = new PipelinedConnections(pool, 'once', connections, partitions);
    this.memoryIndexes = new MemoryIndexes(pool, this.reads, searchedInMemoryFrom);
    this.checkedKek = new CheckedKek(kek, {
      check: async () => {
        await assertKeysPresent(pool);
        await assertClientKeysFit(pool, kek);
      },
      hasVersion: (id) => isVersionStored(pool, id),
    });
    this.keyStore = new RecordKeyStore(this.reads, this.writes, kek, {
      cachedRecords: CACHED_RECORDS,
      checkedKek: this.checkedKek,
      openedBlocks: new OpenedBlocks(cachedBlockBytes),
    });
  }

  /**
   * The record of a user of this client. Runs no statement; the first write creates the record.
   * @param cancellation of a caller that no longer waits for results
   * @param budget of the content that the caller unpacks by reads and searches
   */
  record(userId: number, clientId: string, cancellation?: Cancellation, budget?: ReadBudget): UserRecord {
    return new UserRecord(
      { pool: this.pool, reads: this.reads, writes: this.writes, objects: this.objects },
      this.keyStore,
      this.memoryIndexes,
      this.timestamps,
      userId,
      clientId,
      cancellation,
      budget,
    );
  }

  /** Closes the pipelined connections when their statements have ended. */
  async close(): Promise<void> {
    await this.memoryIndexes.close();
    await Promise.all([this.reads.close(), this.writes.close()]);
  }

  /**
   * Checks that the key-encryption key and the stored keys fit the records, and that the key-encryption key can wrap.
   * To be called before the storage is used; the key of a client is created only after the check has passed with the
   * current version, as a key file can be replaced by a wrong one while the process runs.
   * @throws Error that says what does not fit and what to do
   */
  async assertKekMatches(): Promise<void> {
    await this.checkedKek.version();
  }

  /**
   * Destroys the key of a record, and then deletes the rows that it decrypts. After a failure in between, the record is
   * unreadable, and `finishDestructions` deletes the remaining rows. Older backups of `fhir_store_keys` still contain
   * the key. Idempotent.
   */
  destroyRecord(userId: number): Promise<void> {
    return this.destroyRecords([userId]);
  }

  /** Like `destroyRecord`, for many records. */
  async destroyRecords(userIds: readonly number[]): Promise<void> {
    for (let from = 0; from < userIds.length; from += RECORDS_PER_DESTRUCTION) {
      const users = userIds.slice(from, from + RECORDS_PER_DESTRUCTION);
      await destroyKeysOf(this.pool, users);
      for (const userId of users) this.forget(userId);
      await deleteDestroyed(this.pool, users, this.deleteDependentRows, this.objects?.storage);
    }
  }

  private forget(userId: number): void {
    this.keyStore.forget(userId);
    this.memoryIndexes.forget(userId);
  }

  /**
   * Destroys in both schemas what is destroyed in either of them. They differ if `fhir_store`, `fhir_store_keys` or
   * both were restored from backups of different times. To be called before the storage is used.
   */
  reconcileDestroyed(): Promise<void> {
    return reconcileDestroyed(this.pool);
  }

  /**
   * Deletes the rows of destroyed records that are still there after an interrupted destruction or the restore of a
   * backup. May run in several processes at once.
   * @returns how many records it deleted, and how many remain because a write to them is still open, or the object
   *   storage does not delete their content
   */
  async finishDestructions(): Promise<{ finished: number; left: number }> {
    let [finished, left, after] = [0, 0, 0];
    for (;;) {
      const users = await unfinishedDestructions(this.pool, after, RECORDS_PER_DESTRUCTION);
      if (users.length === 0) return { finished, left };
      for (const userId of users) this.forget(userId);
      const remaining = await deleteDestroyed(this.pool, users, this.deleteDependentRows, this.objects?.storage);
      finished += users.length - remaining;
      left += remaining;
      after = users.at(-1) as number;
    }
  }

  /**
   * The records that were destroyed, in ascending order of their users, after this one; times are epoch milliseconds.
   */
  destroyedRecords(after: number, limit: number): Promise<DestroyedRecord[]> {
    return destroyedRecords(this.pool, after, limit);
  }

  /**
   * Live records whose key is missing, by user. They cannot be read or written; a later backup of `fhir_store_keys`
   * brings them back.
   */
  recordsWithoutKey(): AsyncGenerator<number> {
    return recordsWithoutKey(this.pool);
  }

  /** Compaction and purge, which run in the background. */
  maintenance(options: MaintenanceOptions = {}): RecordMaintenance {
    return new RecordMaintenance(this.pool, this.keyStore, options);
  }

  /**
   * Compacts a record now, whether or not the maintenance has it in its queue. Readers and exports see no difference.
   * @throws RecordDestroyedError
   */
  async compactRecord(userId: number): Promise<CompactionResult> {
    const keys = await this.keyStore.find(userId);
    const { retired, written } = keys ? await compactRecord(this.pool, keys) : { retired: 0, written: 0 };
    return { retired, written };
  }

  /**
   * Verifies the blocks, the index rows and the history of a record, while it is read and written.
   * @param onProblem is called for each problem that is found
   * @returns undefined when the user has no record, or it is destroyed
   * @throws UnsealingError if the stored key cannot be decrypted
   */
  async verifyRecord(
    userId: number,
    extractIndexValues: ExtractIndexValues,
    onProblem: (problem: RecordProblem) => void,
  ): Promise<VerifiedRecord | undefined> {
    const keys = await this.keyStore.find(userId);
    return (
      keys && verifyRecord({ pool: this.pool, keys, objects: this.objects?.storage, extractIndexValues, onProblem })
    );
  }

  /**
   * Deletes some of the content that was uploaded to the object storage a day ago and never written to a resource.
   * @returns how many objects; 0 if none is left
   * @throws ObjectStorageError
   */
  async deleteAbandonedContent(): Promise<number> {
    return this.objects ? deleteAbandonedObjects(this.pool, this.objects.storage) : 0;
  }

  /** The re-index of records whose rows were made by other index rules. */
  reindexing(extractIndexValues: ExtractIndexValues, retryMs?: number): RecordReindexing {
    return new RecordReindexing(this.pool, this.keyStore, extractIndexValues, retryMs);
  }

  /**
   * Wraps the keys of clients again that an older version of the key-encryption key wrapped.
   * @param onKey is called after each key that was due
   */
  async rewrapClientKeys(onKey?: () => void): Promise<RewrapResult> {
    await this.checkedKek.useStored();
    return rewrapClientKeys(this.pool, this.kek, onKey);
  }

  /** The number of keys of clients by the id of the version of the key-encryption key that wrapped them. */
  countClientKeys(): Promise<Map<string, number>> {
    return countClientKeys(this.pool);
  }
}
