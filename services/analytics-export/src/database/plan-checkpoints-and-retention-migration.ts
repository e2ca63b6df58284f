import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the plan of an asynchronous export stands, and an index for what is removed by its age and for the jobs of one caller. */
export class PlanCheckpointsAndRetention1763800000000 implements MigrationInterface {
  readonly name = 'PlanCheckpointsAndRetention1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE export_job ADD COLUMN sealed_checkpoint bytea`);
    await runner.query(
      `CREATE INDEX export_job_unfinished_of_caller ON export_job (client_id, service_user_id) WHERE state IN ('accepted', 'planning')`,
    );
    await runner.query(`CREATE INDEX access_began ON access (began_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX access_began`);
    await runner.query(`DROP INDEX export_job_unfinished_of_caller`);
    await runner.query(`ALTER TABLE export_job DROP COLUMN sealed_checkpoint`);
  }
}
