import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users. What identifies them to their client is sealed; the blind index finds them by it. */
export class Users1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SEQUENCE service_user_id AS bigint');
    await runner.query(`CREATE TABLE service_user (
      service_user_id bigint PRIMARY KEY,
      client_id text NOT NULL,
      state text NOT NULL CHECK (state IN ('active', 'deactivating', 'inactive', 'deleting')),
      app_user_id_sealed bytea,
      app_user_id_blind bytea,
      created_at timestamptz NOT NULL DEFAULT now(),
      changed_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT identified_until_deleted CHECK ((state = 'deleting') = (app_user_id_sealed IS NULL) AND (state = 'deleting') = (app_user_id_blind IS NULL))
    )`);
    await runner.query('CREATE UNIQUE INDEX service_user_app_user_id ON service_user (client_id, app_user_id_blind)');
    await runner.query(
      `CREATE INDEX service_user_of_client ON service_user (client_id, service_user_id) WHERE state <> 'deleting'`,
    );
    await runner.query(
      `CREATE INDEX service_user_unfinished ON service_user (changed_at) WHERE state IN ('deactivating', 'deleting')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE service_user');
    await runner.query('DROP SEQUENCE service_user_id');
  }
}
