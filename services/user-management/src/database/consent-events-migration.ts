import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit events of consents, until they are recorded. The rows outlive their user. */
export class ConsentEvents1763700000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE consent_event (
      event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      service_user_id bigint NOT NULL,
      client_id text NOT NULL,
      receipt_id uuid NOT NULL,
      connection_id uuid NOT NULL,
      ended_by text
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE consent_event');
  }
}
