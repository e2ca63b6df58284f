import { INDEX_VERSION } from '@tributary/fhir-search';
import { DataKey, type KeyEncryptionKey, keyCache } from '@tributary/key-vault';
import type { LRUCache } from 'lru-cache';
import { RecordDestroyedError } from '../errors';
import type { OpenedBlocks } from '../read/opened-blocks';
import { type Statement, type Queryable, run } from '../postgres/statement';
import { RecordKeys } from './record-keys';

const findRecord: Statement = {
  name: 'record-key-find',
  text: `
    SELECT k.wrapped_key, k.client_id, r.index_version FROM fhir_store.record r JOIN fhir_store_keys.record_key k ON k.user_id = $1
    WHERE r.user_id = $1 AND r.destroyed_at IS NULL`,
};
const findIndexVersion: Statement = {
  name: 'record-index-version',
  text: `SELECT index_version FROM fhir_store.record WHERE user_id = $1`,
};
const findRecordsOfUsers: Statement = {
  name: 'record-key-find-many',
  text: `SELECT wrapped_key, client_id, user_id FROM fhir_store_keys.record_key WHERE user_id = ANY ($1::bigint[])`,
};
/**
 * Creates a record with its key. An existing record keeps its key, and gets no new key if that is missing: its rows are
 * encrypted under the missing key. An existing key is used, as after a restore of the records alone.
 * $1 user, $2 client, $3 time, $4 wrapped key
 */
const createRecord: Statement = {
  name: 'record-create',
  text: `
    WITH made AS (
      INSERT INTO fhir_store.record (user_id, client_id, created_at, index_version) VALUES ($1, $2, $3, ${INDEX_VERSION}) ON CONFLICT (user_id) DO NOTHING RETURNING user_id
    )
    INSERT INTO fhir_store_keys.record_key (user_id, client_id, created_at, wrapped_key) SELECT user_id, $2, $3, $4 FROM made
    ON CONFLICT (user_id) DO NOTHING`,
};
const findClient: Statement = {
  name: 'client-key-find',
  text: `SELECT wrapped_key FROM fhir_store_keys.client_key WHERE client_id = $1`,
};
const createClient: Statement = {
  name: 'client-key-create',
  text: `INSERT INTO fhir_store_keys.client_key (client_id, wrapped_key) VALUES ($1, $2) ON CONFLICT (client_id) DO NOTHING`,
};

export interface RecordKeyStoreOptions {
  /** The maximum number of records whose keys stay in memory. */
  readonly cachedRecords: number;
  /** Wraps the keys of new clients; by default the key-encryption key itself, without a check. */
  readonly checkedKek?: Pick<KeyEncryptionKey, 'wrap'>;
  /** The cache of decrypted blocks; absent if they are not cached. */
  readonly openedBlocks?: OpenedBlocks;
}

/**
 * The keys of records. The key of a client wraps the keys of its records, and the key-encryption key wraps the key of
 * the client. An export of a client's million users therefore unwraps with the key-encryption key once.
 */
export class RecordKeyStore {
  private readonly records: LRUCache<number, RecordKeys>;
  private readonly clients: LRUCache<string, DataKey>;
  /** Look-ups in progress by user, shared by all callers. */
  private readonly finding = new Map<number, Promise<RecordKeys | undefined>>();

  /**
   * @param queryable executes look-ups
   * @param changes executes inserts
   */
  constructor(
    private readonly queryable: Queryable,
    private readonly changes: Queryable,
    private readonly kek: KeyEncryptionKey,
    private readonly options: RecordKeyStoreOptions,
  ) {
    this.records = keyCache({ max: options.cachedRecords });
    this.clients = keyCache({ max: 1000, load: (clientId) => this.loadClientKey(clientId) });
  }

  /**
   * The keys of the record of a user; undefined if there is none or it is destroyed.
   * @throws UnsealingError if the stored key cannot be decrypted
   */
  async find(userId: number): Promise<RecordKeys | undefined> {
    const cached = this.records.get(userId);
    if (cached) return cached;
    const found = this.finding.get(userId) ?? this.load(userId);
    this.finding.set(userId, found);
    try {
      return await found;
    } finally {
      if (this.finding.get(userId) === found) this.finding.delete(userId);
    }
  }

  /** Like `find`, but creates the record if there is none. @throws RecordDestroyedError, UnsealingError */
  async findOrCreate(userId: number, clientId: string): Promise<RecordKeys> {
    const found = await this.find(userId);
    if (found) return found;
    const clientKey = await this.clientKey(clientId, true);
    const wrapped = clientKey.seal(DataKey.generate().bytes(), recordContext(userId));
    await run(this.changes, createRecord, [userId, clientId, Date.now(), wrapped]);
    // The key is read back: another process may have created the record at the same time, or the record is destroyed.
    // A look-up in progress may have begun before the insert.
    const keys = await this.load(userId);
    if (!keys) throw new RecordDestroyedError(userId);
    return keys;
  }

  /** The keys of many records at once, by user; without destroyed ones. */
  async findMany(userIds: readonly number[]): Promise<Map<number, RecordKeys>> {
    const keys = new Map<number, RecordKeys>();
    const missing: number[] = [];
    for (const userId of userIds) {
      const cached = this.records.get(userId);
      if (cached) keys.set(userId, cached);
      else missing.push(userId);
    }
    if (missing.length === 0) return keys;
    for (const [wrapped, clientId, userId] of await run(this.queryable, findRecordsOfUsers, [missing])) {
      if (wrapped === null) continue;
      const clientKey = await this.clientKey(clientId as string, false);
      const opened = this.openRecordKey(clientKey, Number(userId), wrapped as Buffer);
      this.records.set(Number(userId), opened);
      keys.set(Number(userId), opened);
    }
    return keys;
  }

  /**
   * Whether all rows of the record obey the index rules of this code. The version is read again unless it is known to
   * be current.
   */
  async isIndexCurrent(keys: RecordKeys): Promise<boolean> {
    if (keys.indexVersion === INDEX_VERSION) return true;
    const [row] = await run(this.queryable, findIndexVersion, [keys.userId]);
    keys.indexVersion = row?.[0] as number | undefined;
    return keys.indexVersion === INDEX_VERSION;
  }

  /** Removes the keys and the blocks from the caches of this process, after their destruction. */
  forget(userId: number): void {
    this.records.delete(userId);
    this.options.openedBlocks?.forget(userId);
    this.finding.delete(userId);
  }

  private async load(userId: number): Promise<RecordKeys | undefined> {
    const [row] = await run(this.queryable, findRecord, [userId]);
    if (!row || row[0] === null) return undefined;
    const [wrapped, clientId, indexVersion] = row as [Buffer, string, number];
    const keys = this.openRecordKey(await this.clientKey(clientId, false), userId, wrapped, indexVersion);
    this.records.set(userId, keys);
    return keys;
  }

  private async clientKey(clientId: string, create: boolean): Promise<DataKey> {
    const found = await this.clients.fetch(clientId);
    if (found) return found;
    if (create) {
      const wrapped = await (this.options.checkedKek ?? this.kek).wrap(
        DataKey.generate().bytes(),
        clientContext(clientId),
      );
      await run(this.changes, createClient, [clientId, wrapped]);
    }
    // Not through the cache: its look-up may have begun before this or another process inserted the key.
    const made = await this.loadClientKey(clientId);
    if (!made) throw new Error('the key of a client is missing from the record storage');
    return made;
  }

  private async loadClientKey(clientId: string): Promise<DataKey | undefined> {
    const [row] = await run(this.queryable, findClient, [clientId]);
    return row && DataKey.fromBytes(await this.kek.unwrap(row[0] as Buffer, clientContext(clientId)));
  }

  private openRecordKey(clientKey: DataKey, userId: number, wrapped: Buffer, indexVersion?: number): RecordKeys {
    const key = DataKey.fromBytes(clientKey.open(wrapped, recordContext(userId)));
    return new RecordKeys(userId, key, indexVersion, this.options.openedBlocks);
  }
}

function recordContext(userId: number): string {
  return `record ${userId}`;
}

/** The encryption context of the key of a client. */
export function clientContext(clientId: string): string {
  return `client ${clientId}`;
}
