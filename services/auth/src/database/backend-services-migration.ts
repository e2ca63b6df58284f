import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys of clients, the assertions they have used, and access tokens of clients themselves (SMART Backend Services). */
export class BackendServices1763730000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE client_application ADD COLUMN jwks jsonb, ADD COLUMN jwks_url text, ADD CHECK (num_nonnulls(jwks, jwks_url) <= 1)',
    );
    await runner.query(`CREATE TABLE system_access_token (
      token_sha256 bytea PRIMARY KEY,
      client_id text NOT NULL REFERENCES client_application ON DELETE CASCADE,
      scope text NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX system_access_token_expiry ON system_access_token (expires_at)');
    await runner.query(`CREATE TABLE spent_assertion (
      client_id text NOT NULL REFERENCES client_application ON DELETE CASCADE,
      jti_sha256 bytea NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (client_id, jti_sha256)
    )`);
    await runner.query('CREATE INDEX spent_assertion_expiry ON spent_assertion (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE spent_assertion, system_access_token');
    await runner.query('ALTER TABLE client_application DROP COLUMN jwks, DROP COLUMN jwks_url');
  }
}
