import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Consent receipts: what a user agreed to when a connection was made. A connection refers to the receipt of its last
 * consent; the receipts of earlier ones are kept until the user is deleted.
 */
export class Consent1763700000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE consent_receipt (
      receipt_id uuid PRIMARY KEY,
      connection_id uuid NOT NULL REFERENCES connection ON DELETE CASCADE,
      content_sealed bytea NOT NULL,
      given_at timestamptz NOT NULL,
      expires_at timestamptz,
      ended_at timestamptz,
      ended_by text CHECK (ended_by IN ('user', 'client', 'expiry', 'health_system', 'replaced')),
      CONSTRAINT ended_by_something CHECK ((ended_at IS NULL) = (ended_by IS NULL))
    )`);
    await runner.query('CREATE INDEX consent_receipt_of_connection ON consent_receipt (connection_id, given_at)');
    await runner.query(
      'CREATE UNIQUE INDEX consent_receipt_in_force ON consent_receipt (connection_id) WHERE ended_at IS NULL',
    );
    await runner.query('CREATE INDEX consent_receipt_expiry ON consent_receipt (expires_at) WHERE ended_at IS NULL');
    // Without a foreign key: the two tables would refer to each other.
    await runner.query('ALTER TABLE connection ADD COLUMN consent_receipt_id uuid');
    await runner.query(
      `CREATE INDEX connection_without_receipt ON connection (connection_id)
       WHERE consent_receipt_id IS NULL AND grant_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE connection DROP COLUMN consent_receipt_id');
    await runner.query('DROP TABLE consent_receipt');
  }
}
