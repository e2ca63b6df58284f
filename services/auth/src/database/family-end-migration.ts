import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When every token that descends from a code ends, however often it is refreshed. */
export class FamilyEnd1795910400003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE token_family ADD COLUMN ends_at timestamptz NOT NULL DEFAULT now() + interval '365 days'`,
    );
    await runner.query(
      `COMMENT ON COLUMN token_family.ends_at IS 'when all tokens of the family end; a refresh does not move it'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_family DROP COLUMN ends_at');
  }
}
