import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Asynchronous exports, and the record of every export and download. */
export class ExportsAndAccesses1763720000000 implements MigrationInterface {
  readonly name = 'ExportsAndAccesses1763720000000';

  async up(runner: QueryRunner): Promise<void> {
    // sealed_request and sealed_plan are sealed under the service's key: a _typeFilter or a patient can tell about people.
    // snapshot: exclusive, in milliseconds since 1970. touched_at: the last sign of life of whoever works on it.
    await runner.query(`
      CREATE TABLE export_job (
        job_id uuid PRIMARY KEY,
        client_id text NOT NULL,
        service_user_id bigint,
        state text NOT NULL CHECK (state IN ('accepted', 'planning', 'finished', 'failed')),
        snapshot bigint NOT NULL,
        sealed_request bytea NOT NULL,
        sealed_plan bytea,
        progress smallint NOT NULL DEFAULT 0,
        error text,
        error_status smallint,
        created_at timestamptz NOT NULL DEFAULT now(),
        touched_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(
      `CREATE INDEX export_job_unfinished ON export_job (touched_at) WHERE state IN ('accepted', 'planning')`,
    );
    await runner.query(`CREATE INDEX export_job_snapshot ON export_job (snapshot)`);
    // Who took what, and what became of it. resources: how many, by type and release.
    await runner.query(`
      CREATE TABLE access (
        access_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        began_at timestamptz NOT NULL DEFAULT now(),
        ended_at timestamptz,
        request_id text NOT NULL,
        action text NOT NULL CHECK (action IN ('export', 'asynchronous export', 'download', 'cancellation')),
        client_id text NOT NULL,
        service_user_id bigint,
        resources jsonb NOT NULL,
        bytes bigint,
        outcome text NOT NULL CHECK (outcome IN ('begun', 'done', 'broken off', 'refused', 'failed'))
      )`);
    await runner.query(`CREATE INDEX access_of_client ON access (client_id, began_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE access`);
    await runner.query(`DROP TABLE export_job`);
  }
}
