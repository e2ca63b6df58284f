import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The callback address of a registration; null for the one that registrations share. */
export class RegistrationCallback1795910400010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration ADD COLUMN callback text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registration DROP COLUMN callback');
  }
}
