import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the users of a client are asked to agree to when they connect to a health system. */
export class ConsentTerms1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE client_application ADD COLUMN requested_types text[] CHECK (cardinality(requested_types) > 0),
         ADD COLUMN consent_days integer CHECK (consent_days >= 0)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE client_application DROP COLUMN consent_days, DROP COLUMN requested_types');
  }
}
