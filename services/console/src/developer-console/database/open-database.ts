import { type KeyEncryptionKeyConfig, type ManagedKek, openKeyEncryptionKey } from '@tributary/key-providers';
import { type RunSql, ScopedKeys } from '@tributary/key-vault';
import {
  type DatabaseConfig,
  type MigratedSchema,
  migrateDatabase,
  openDatabase,
  poolOf,
} from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { AddOperators1764600000000 } from './add-operators-migration';
import { CreateSchema1764500000000 } from './create-schema-migration';

const schema = 'console';
const migrations = [CreateSchema1764500000000, AddOperators1764600000000];

export interface ConsoleDatabase {
  pool: Pool;
  /** The data keys: `totp` seals the secrets of authenticators, `mail` the waiting mails. */
  keys: ScopedKeys;
  kek: ManagedKek;
  close(): Promise<void>;
}

/**
 * Opens the database of the service, runs the migrations that are missing, and checks the key-encryption key.
 * @throws Error when the database cannot be reached, or when the key-encryption key opens none of the stored data keys
 */
export async function openConsoleDatabase(
  config: DatabaseConfig & KeyEncryptionKeyConfig,
  log?: Logger,
): Promise<ConsoleDatabase> {
  const source = await openDatabase({ database: config, schema, entities: [], migrations });
  try {
    const run: RunSql = (sql, values) => source.query(sql, values);
    const kek = await openKeyEncryptionKey(config, { run, table: `${schema}.wrapping_key`, log });
    const keys = new ScopedKeys({ run, kek });
    await keys.assertKekMatches();
    return { pool: poolOf(source), keys, kek, close: () => source.destroy() };
  } catch (error) {
    await source.destroy();
    throw error;
  }
}

export function migrateConsoleDatabase(database: DatabaseConfig): Promise<MigratedSchema> {
  return migrateDatabase({ database, schema, entities: [], migrations });
}
