import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The hosts of health systems to which the operator has paused all requests. */
export class PausedHosts1763700000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE paused_host (
      host text PRIMARY KEY,
      reason text NOT NULL,
      paused_at timestamptz NOT NULL DEFAULT now()
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE paused_host');
  }
}
