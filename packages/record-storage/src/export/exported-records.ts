import type { KeyEncryptionKey } from '@tributary/key-vault';
import type { ObjectStorage } from '@tributary/object-storage';
import type { Pool } from 'pg';
import { RecordKeyStore } from '../keys/record-key-store';

/** The maximum number of cached records: each file of an export reads the same users again. About 1 KB per record. */
const CACHED_KEYS = 20_000;

/** The storage that exports read, on the primary or on a replica. Exports write nothing. */
export interface ExportedRecords {
  readonly pool: Pool;
  readonly keyStore: RecordKeyStore;
  /** Where the storage keeps large content; undefined where none is configured. */
  readonly objects: ObjectStorage | undefined;
}

/**
 * @param pool of a role that may read the storage
 */
export function exportedRecords(pool: Pool, kek: KeyEncryptionKey, objects?: ObjectStorage): ExportedRecords {
  return { pool, objects, keyStore: new RecordKeyStore(pool, pool, kek, { cachedRecords: CACHED_KEYS }) };
}
