import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The organisation that manages a client in the console, and secrets by which its developers act for the client. */
export class AddOrganisations1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE client_application ADD COLUMN organisation_id uuid');
    await runner.query(`CREATE INDEX client_application_of_organisation ON client_application (organisation_id)
      WHERE organisation_id IS NOT NULL`);
    await runner.query(`CREATE TABLE temporary_secret (
      secret_sha256 bytea PRIMARY KEY,
      client_id text NOT NULL REFERENCES client_application ON DELETE CASCADE,
      developer text NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX temporary_secret_expiry ON temporary_secret (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE temporary_secret');
    await runner.query('ALTER TABLE client_application DROP COLUMN organisation_id');
  }
}
