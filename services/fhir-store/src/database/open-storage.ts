import {
  type KeyEncryptionKeyConfig,
  type ManagedKek,
  type ServiceKeyring,
  openKeyEncryptionKey,
} from '@tributary/key-providers';
import type { ObjectStorage } from '@tributary/object-storage';
import { RecordStorage, wrappingKeyTable } from '@tributary/record-storage';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { deleteUnresolvedReferences } from '../collection/unresolved-references';
import type { FhirStoreConfig } from '../config';

/**
 * Opens the records of a database, with the key encryption key of the configuration.
 * @param objects where large attachments are
 * @param pipelining whether single statements are pipelined over a few connections of their own
 */
export async function openStorage(
  config: KeyEncryptionKeyConfig & Pick<FhirStoreConfig, 'CACHED_BLOCK_MEGABYTES'>,
  pool: Pool,
  {
    pipelining = true,
    objects,
    ...options
  }: { log?: Logger; pipelining?: boolean; objects?: ObjectStorage | undefined } = {},
): Promise<{ storage: RecordStorage; kek: ManagedKek }> {
  const kek = await openKeyEncryptionKey(config, {
    run: async (sql, values) => (await pool.query(sql, values)).rows as unknown[],
    table: wrappingKeyTable,
    ...options,
  });
  const storage = new RecordStorage({
    pool,
    kek,
    cachedBlockBytes: config.CACHED_BLOCK_MEGABYTES * 1024 * 1024,
    pipelining,
    objects,
    deleteDependentRows: (userIds) => deleteUnresolvedReferences(pool, userIds),
  });
  return { storage, kek };
}

/** The keys of clients in the records, as operators see and rotate them. */
export function clientKeysOf(storage: RecordStorage): ServiceKeyring['keys'] {
  return {
    assertKekMatches: () => storage.assertKekMatches(),
    countByVersion: () => storage.countClientKeys(),
    rewrapAll: (onKey) => storage.rewrapClientKeys(onKey),
  };
}
