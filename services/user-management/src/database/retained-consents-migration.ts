import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The consents of deleted users. Without a foreign key: they outlive their user. */
export class RetainedConsents1795910400012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE retained_consent (
      receipt_id uuid PRIMARY KEY,
      service_user_id bigint NOT NULL,
      client_id text NOT NULL,
      content_sealed bytea,
      given_at timestamptz NOT NULL,
      expires_at timestamptz,
      ended_at timestamptz NOT NULL,
      ended_by text NOT NULL
    )`);
    await runner.query('CREATE INDEX retained_consent_of_user ON retained_consent (service_user_id)');
    await runner.query('CREATE INDEX retained_consent_end ON retained_consent (ended_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE retained_consent');
  }
}
