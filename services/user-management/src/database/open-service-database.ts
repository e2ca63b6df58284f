import { LocalKeyEncryptionKey, ScopedKeys, scopedKeysKekMigration, scopedKeysMigration } from '@tributary/key-vault';
import { type DatabaseConfig, openDatabase } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { signingKeyEntity } from '../client-keys/signing-key';
import { connectionEntity } from '../connections/connection';
import { grantEntity } from '../grants/grant';
import { registrationEntity } from '../health-systems/registration';
import { userEntity } from '../users/user';
import { webhookEndpointEntity } from '../webhooks/webhook-endpoint';
import { ClientProblems1764500000103 } from './client-problems-migration';
import { CollectionRetries1764500000001 } from './collection-retries-migration';
import { CompleteDeletion1764500000102 } from './complete-deletion-migration';
import { Connect1763700000003 } from './connect-migration';
import { UserChanges1764500000105 } from './user-changes-migration';
import { Users1763700000001 } from './users-migration';
import { WebhookQueue1764500000104 } from './webhook-queue-migration';
import { Webhooks1763700000004 } from './webhooks-migration';

const schema = 'user_management';

/** The service's database, brought up to date, and the keys that seal what lies in it. */
export async function openServiceDatabase(
  config: DatabaseConfig & { KEY_ENCRYPTION_KEY_FILE: string },
): Promise<{ source: DataSource; keys: ScopedKeys }> {
  const kek = await LocalKeyEncryptionKey.fromFile(config.KEY_ENCRYPTION_KEY_FILE);
  const source = await openDatabase({
    database: config,
    schema,
    entities: [userEntity, registrationEntity, signingKeyEntity, grantEntity, connectionEntity, webhookEndpointEntity],
    migrations: [
      Users1763700000001,
      scopedKeysMigration(1763700000002),
      Connect1763700000003,
      Webhooks1763700000004,
      CollectionRetries1764500000001,
      scopedKeysKekMigration(1764500000101),
      CompleteDeletion1764500000102,
      ClientProblems1764500000103,
      WebhookQueue1764500000104,
      UserChanges1764500000105,
    ],
  });
  const keys = new ScopedKeys({ run: (sql, values) => source.query(sql, values), kek });
  try {
    await keys.assertKekMatches();
  } catch (error) {
    await source.destroy();
    throw error;
  }
  return { source, keys };
}
