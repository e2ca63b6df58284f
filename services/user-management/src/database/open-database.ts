import { type KeyEncryptionKeyConfig, type ManagedKek, openKeyEncryptionKey } from '@tributary/key-providers';
import { type RunSql, ScopedKeys } from '@tributary/key-vault';
import { type DatabaseConfig, type MigratedSchema, migrateDatabase, openDatabase } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { signingKeyEntity } from '../client-keys/signing-keys';
import { grantEntity } from '../grants/grant';
import { registrationEntity } from '../health-systems/registrations';
import { userEntity } from '../users/user';
import { webhookEndpointEntity } from '../webhooks/webhook-endpoint';
import { AddClientOutcomes1765100000000 } from './add-client-outcomes-migration';
import { CreateSchema1763700000001 } from './create-schema-migration';
import { DataKeys } from './data-keys';

const schema = 'user_management';
const migrations = [CreateSchema1763700000001, AddClientOutcomes1765100000000];

export interface ServiceDatabase {
  database: DataSource;
  keys: DataKeys;
  kek: ManagedKek;
  /** All data keys, whatever they protect. */
  scopedKeys: ScopedKeys;
}

/**
 * Opens the database of the service, runs the migrations that are missing, and checks the key-encryption key.
 * @throws Error when the database cannot be reached, or when the key-encryption key opens none of the stored data keys
 */
export async function openServiceDatabase(
  config: DatabaseConfig & KeyEncryptionKeyConfig,
  log?: Logger,
): Promise<ServiceDatabase> {
  const database = await openDatabase({
    database: config,
    schema,
    entities: [userEntity, registrationEntity, signingKeyEntity, grantEntity, webhookEndpointEntity],
    migrations,
  });
  try {
    const run: RunSql = (sql, values) => database.query(sql, values);
    const kek = await openKeyEncryptionKey(config, { run, table: `${schema}.wrapping_key`, log });
    const scopedKeys = new ScopedKeys({ run, kek });
    await scopedKeys.assertKekMatches();
    return { database, keys: new DataKeys(scopedKeys), kek, scopedKeys };
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

export function migrateServiceDatabase(database: DatabaseConfig): Promise<MigratedSchema> {
  return migrateDatabase({ database, schema, entities: [], migrations });
}
