import { type RunSql, ScopedKeys, createScopedKeys, createWrappingKeys } from '@tributary/key-vault';
import { createDatabase } from '@tributary/test-environment';
import { Pool } from 'pg';
import { keyEncryptionKeyConfig } from '../src/config';
import type { ManagedKek } from '../src/managed-kek';
import { openKeyEncryptionKey } from '../src/open-key-encryption-key';

export const wrappingKeyTable = 'public.wrapping_key';

/** A process with these variables: its key-encryption key, and data keys that it wraps. */
export interface Replica {
  readonly kek: ManagedKek;
  readonly keys: ScopedKeys;
}

/** The tables of a service, which replicas share. */
export interface KeyDatabase {
  run: RunSql;
  replica(environment: Record<string, string>): Promise<Replica>;
  /** Deletes all keys. */
  clear(): Promise<unknown>;
  drop(): Promise<void>;
}

export async function createKeyDatabase(): Promise<KeyDatabase> {
  const database = await createDatabase();
  const pool = new Pool({ connectionString: database.url, max: 8 });
  pool.on('error', () => undefined);
  await createScopedKeys(pool);
  await createWrappingKeys(pool);
  const run: RunSql = async (sql, values) => (await pool.query(sql, values)).rows;
  return {
    run,
    replica: async (environment) => {
      const config = keyEncryptionKeyConfig.parse(environment);
      const kek = await openKeyEncryptionKey(config, { run, table: wrappingKeyTable });
      return { kek, keys: new ScopedKeys({ run, kek }) };
    },
    clear: () => run(`TRUNCATE data_key, ${wrappingKeyTable}`, []),
    drop: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
