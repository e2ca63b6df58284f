import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A second secret of a client, and the deletion of a client. */
export class ClientAdministration1795910400005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE client_application
      ADD COLUMN previous_secret_sha256 bytea,
      ADD COLUMN previous_secret_expires_at timestamptz,
      ADD COLUMN deletion_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE client_application
      DROP COLUMN previous_secret_sha256, DROP COLUMN previous_secret_expires_at, DROP COLUMN deletion_at`);
  }
}
