import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What health systems have deleted and may restore: a restored resource is counted once. */
export class RestoredResources1795910400014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE connection ADD COLUMN deleted_before bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE connection DROP COLUMN deleted_before');
  }
}
