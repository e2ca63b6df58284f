import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Asynchronous exports. */
export class CreateSchema1763720000000 implements MigrationInterface {
  readonly name = 'CreateSchema1763720000000';

  async up(runner: QueryRunner): Promise<void> {
    // Request, plan and checkpoint are sealed under a key of the service: a _typeFilter or a patient can disclose
    // something about people. snapshot: exclusive, in epoch milliseconds. touched_at: the last heartbeat of the worker
    // that plans the job. report_due_at: when the end of the job is reported to user-management next, null before the
    // end and after the report.
    await runner.query(`
      CREATE TABLE export_job (
        job_id uuid PRIMARY KEY,
        client_id text NOT NULL,
        service_user_id bigint,
        state text NOT NULL CHECK (state IN ('accepted', 'planning', 'finished', 'failed')),
        snapshot bigint NOT NULL,
        sealed_request bytea NOT NULL,
        sealed_plan bytea,
        sealed_checkpoint bytea,
        progress smallint NOT NULL DEFAULT 0,
        error text,
        error_code text,
        created_at timestamptz NOT NULL DEFAULT now(),
        touched_at timestamptz NOT NULL DEFAULT now(),
        report_due_at timestamptz
      )`);
    await runner.query(
      `CREATE INDEX export_job_unfinished ON export_job (touched_at) WHERE state IN ('accepted', 'planning')`,
    );
    await runner.query(
      `CREATE INDEX export_job_unfinished_of_caller ON export_job (client_id, service_user_id) WHERE state IN ('accepted', 'planning')`,
    );
    await runner.query(
      `CREATE INDEX export_job_unreported ON export_job (report_due_at) WHERE report_due_at IS NOT NULL`,
    );
    await runner.query(`CREATE INDEX export_job_snapshot ON export_job (snapshot)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE export_job`);
  }
}
