import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links that begin a visit to connect; rows live for ten minutes. */
export class ConnectLinks1795910400011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE connect_link (
      link_hash bytea PRIMARY KEY,
      browser_secret_hash bytea,
      service_user_id bigint NOT NULL REFERENCES service_user,
      contents_sealed bytea NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX connect_link_of_user ON connect_link (service_user_id)');
    await runner.query('CREATE INDEX connect_link_expiry ON connect_link (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE connect_link');
  }
}
