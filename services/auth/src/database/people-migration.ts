import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the record of a user holds one person, or may hold several. */
export class People1795910400004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE client_application ADD COLUMN people text NOT NULL DEFAULT 'one' CHECK (people IN ('one', 'several'))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE client_application DROP COLUMN people');
  }
}
