import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose record a connection collects. */
export class People1795910400013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE connection ADD COLUMN person_sealed bytea, ADD COLUMN is_other_person boolean NOT NULL DEFAULT false',
    );
    await runner.query(
      `COMMENT ON COLUMN connection.person_sealed IS 'name, birth date and identifiers of the Patient as last read, sealed under the data key of the user'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE connection DROP COLUMN person_sealed, DROP COLUMN is_other_person');
  }
}
