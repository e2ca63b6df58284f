import type { KeyEncryptionKey } from '@tributary/key-vault';
import type { Pool } from 'pg';
import { RecordKeyStore } from './keys/record-key-store';
import { Lanes } from './postgres/lanes';
import { run } from './postgres/statement';
import { destroyRecord } from './upkeep/destroy';
import { type MergeResult, mergeBlocks } from './upkeep/merge';
import { findUsersToMerge, purgeRetired } from './upkeep/merge-statements';
import { type RewrapResult, rewrapClientKeys } from './upkeep/rewrap';
import { UserRecord } from './user-record';
import { WriteClock } from './write/write-clock';

export interface RecordStorageOptions {
  /** Of the role that owns the schema `fhir_store`. */
  readonly pool: Pool;
  readonly kek: KeyEncryptionKey;
  /** How many records' keys are kept unwrapped in memory. Default 10,000. */
  readonly cachedRecords?: number;
}

/** Exports run for a day; what they may still read is kept a little longer. */
const RETIRED_FOR_MS = 25 * 3600 * 1000;

/** Stores the records of all users, each sealed under its own key. */
export class RecordStorage {
  private readonly pool: Pool;
  private readonly kek: KeyEncryptionKey;
  private readonly keyStore: RecordKeyStore;
  private readonly reads: Lanes;
  private readonly writes: Lanes;
  private readonly clock = new WriteClock();

  constructor({ pool, kek, cachedRecords = 10_000 }: RecordStorageOptions) {
    this.pool = pool;
    this.kek = kek;
    this.reads = new Lanes(pool, 'repeatable');
    this.writes = new Lanes(pool, 'once');
    this.keyStore = new RecordKeyStore(pool, kek, cachedRecords);
  }

  /** The record of a user of this client. Costs nothing; the record is made by its first write. */
  record(userId: number, clientId: string): UserRecord {
    return new UserRecord({ pool: this.pool, reads: this.reads, writes: this.writes }, this.keyStore, this.clock, userId, clientId);
  }

  /** Closes the connections it opened beside the pool, when what runs on them is done. */
  async close(): Promise<void> {
    await Promise.all([this.reads.close(), this.writes.close()]);
  }

  /** Destroys a record and its key for good, here and in every backup. May be repeated. */
  async destroyRecord(userId: number): Promise<void> {
    this.keyStore.forget(userId);
    await destroyRecord(this.pool, userId);
    this.keyStore.forget(userId);
  }

  /** Users whose blocks are worth merging, in ascending order, after this one. */
  async usersToMerge(after: number, limit: number): Promise<number[]> {
    return (await run(this.pool, findUsersToMerge, [after, limit])).map(([userId]) => Number(userId));
  }

  /** Makes full blocks of a user's small ones; readers and exports do not notice. */
  async mergeSmallBlocks(userId: number): Promise<MergeResult> {
    const keys = await this.keyStore.find(userId);
    return keys ? mergeBlocks(this.pool, keys) : { retired: 0, written: 0 };
  }

  /** Deletes blocks that were replaced so long ago that no export can ask for them. Gives how many. */
  async purgeRetiredBlocks(before = Date.now() - RETIRED_FOR_MS): Promise<number> {
    const [row] = await run(this.pool, purgeRetired, [before]);
    return Number(row?.[0]);
  }

  /** Wraps the keys of clients anew that an older version of the key-encryption key wrapped. */
  rewrapClientKeys(): Promise<RewrapResult> {
    return rewrapClientKeys(this.pool, this.kek);
  }
}
