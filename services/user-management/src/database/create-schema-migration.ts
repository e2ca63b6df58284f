import { createScopedKeys, createWrappingKeys } from '@tributary/key-vault';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { connectTables } from './connect-tables';
import { consentTables } from './consent-tables';
import { userTables } from './user-tables';
import { webhookTables } from './webhook-tables';

/** Later tables refer to earlier ones. */
export class CreateSchema1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createScopedKeys(runner);
    await createWrappingKeys(runner);
    for (const tables of [userTables, connectTables, consentTables, webhookTables]) await runner.query(tables);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_delivery, webhook_event, webhook_endpoint');
    await runner.query('DROP TABLE retained_consent, consent_event, consent_receipt');
    await runner.query('DROP TABLE connect_outcome, paused_host, connection, token_revocation, health_system_grant');
    await runner.query(
      'DROP TABLE pending_authorization, connect_link, accepted_scope_step, signing_key, registration',
    );
    await runner.query('DROP TABLE wrapping_key, data_key, client_user_count, service_user');
    await runner.query('DROP FUNCTION count_users()');
    await runner.query('DROP SEQUENCE service_user_id');
  }
}
