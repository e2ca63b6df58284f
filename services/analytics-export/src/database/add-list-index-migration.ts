import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For the list of the exports of a caller. */
export class AddListIndex1764600100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE INDEX export_job_of_caller ON export_job (client_id, service_user_id, created_at, job_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX export_job_of_caller');
  }
}
