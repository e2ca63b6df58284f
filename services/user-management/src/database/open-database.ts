import { type KeyEncryptionKeyConfig, type ManagedKek, openKeyEncryptionKey } from '@tributary/key-providers';
import {
  type RunSql,
  ScopedKeys,
  scopedKeysKekMigration,
  scopedKeysMigration,
  wrappingKeyMigration,
} from '@tributary/key-vault';
import { type DatabaseConfig, openDatabase } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { signingKeyEntity } from '../client-keys/signing-key';
import { connectionEntity } from '../connections/connection';
import { grantEntity } from '../grants/grant';
import { registrationEntity } from '../health-systems/registration';
import { userEntity } from '../users/user';
import { webhookEndpointEntity } from '../webhooks/webhook-endpoint';
import { ConnectLinks1795910400011 } from './connect-links-migration';
import { Connect1763700000004 } from './connect-migration';
import { ConsentEvents1763700000009 } from './consent-events-migration';
import { Consent1763700000007 } from './consent-migration';
import { DataKeys } from './data-keys';
import { PausedHosts1763700000008 } from './paused-hosts-migration';
import { People1795910400013 } from './people-migration';
import { RegistrationCallback1795910400010 } from './registration-callback-migration';
import { RetainedConsents1795910400012 } from './retained-consents-migration';
import { RestoredResources1795910400014 } from './restored-resources-migration';
import { Users1763700000003 } from './users-migration';
import { Webhooks1763700000005 } from './webhooks-migration';

const schema = 'user_management';

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
    entities: [userEntity, registrationEntity, signingKeyEntity, grantEntity, connectionEntity, webhookEndpointEntity],
    migrations: [
      scopedKeysMigration(1763700000001),
      scopedKeysKekMigration(1763700000002),
      Users1763700000003,
      Connect1763700000004,
      Webhooks1763700000005,
      wrappingKeyMigration(1763700000006),
      Consent1763700000007,
      PausedHosts1763700000008,
      ConsentEvents1763700000009,
      RegistrationCallback1795910400010,
      ConnectLinks1795910400011,
      RetainedConsents1795910400012,
      People1795910400013,
      RestoredResources1795910400014,
    ],
  });
  try {
    const run: RunSql = (sql, values) => database.query(sql, values);
    const kek = await openKeyEncryptionKey(config, { run, table: `${schema}.wrapping_key`, log });
    const scopedKeys = new ScopedKeys({ run, kek, idleMs: config.DATA_KEY_IDLE_SECONDS * 1000 });
    await scopedKeys.assertKekMatches();
    return { database, keys: new DataKeys(scopedKeys), kek, scopedKeys };
  } catch (error) {
    await database.destroy();
    throw error;
  }
}
