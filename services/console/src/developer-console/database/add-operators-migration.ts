import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts of the people who run the service. */
export class AddOperators1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account ADD COLUMN operator_since timestamptz');
    await runner.query(`COMMENT ON COLUMN account.operator_since IS
      'NULL: not an operator; only the operator''s command changes it'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN operator_since');
  }
}
