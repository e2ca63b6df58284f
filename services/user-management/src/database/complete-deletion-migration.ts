import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys that cannot outlive their users, and tokens that are to be revoked at health systems (RFC 7009). */
export class CompleteDeletion1764500000102 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE data_key ADD COLUMN service_user_id bigint GENERATED ALWAYS AS (substring(scope from '^user-([0-9]{1,18})$')::bigint) STORED`,
    );
    await runner.query(
      'DELETE FROM data_key k WHERE service_user_id IS NOT NULL AND NOT EXISTS (SELECT FROM service_user u WHERE u.service_user_id = k.service_user_id)',
    );
    await runner.query('CREATE INDEX data_key_of_user ON data_key (service_user_id) WHERE service_user_id IS NOT NULL');
    await runner.query(
      'ALTER TABLE data_key ADD CONSTRAINT data_key_of_user FOREIGN KEY (service_user_id) REFERENCES service_user ON DELETE CASCADE',
    );
    // Without a foreign key: the tokens of a deleted user are revoked after the user is gone.
    await runner.query(`CREATE TABLE token_revocation (
      revocation_id uuid PRIMARY KEY,
      service_user_id bigint NOT NULL,
      fhir_base_url text NOT NULL,
      fhir_version text NOT NULL,
      client_authentication text NOT NULL,
      tokens_sealed bytea NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT now(),
      due_at timestamptz NOT NULL DEFAULT now()
    )`);
    await runner.query('CREATE INDEX token_revocation_due ON token_revocation (due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token_revocation');
    await runner.query('ALTER TABLE data_key DROP COLUMN service_user_id');
  }
}
