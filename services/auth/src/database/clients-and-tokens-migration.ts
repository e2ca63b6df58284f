import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Client applications, and families of tokens. A family begins with an authorization code and holds every token that descends from it;
 * deleting its row ends them all. Codes, tokens and client secrets are there as SHA-256 only.
 */
export class ClientsAndTokens1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE client_application (
      client_id text PRIMARY KEY,
      name text NOT NULL,
      secret_sha256 bytea NOT NULL,
      redirect_uris text[] NOT NULL CHECK (cardinality(redirect_uris) > 0),
      created_at timestamptz NOT NULL DEFAULT now()
    )`);
    await runner.query(`CREATE TABLE token_family (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      client_id text NOT NULL REFERENCES client_application,
      service_user_id bigint NOT NULL,
      scope text NOT NULL,
      code_sha256 bytea NOT NULL UNIQUE,
      code_expires_at timestamptz NOT NULL,
      code_spent_at timestamptz,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query(
      "COMMENT ON COLUMN token_family.expires_at IS 'when the last of its code and refresh tokens ends'",
    );
    await runner.query('CREATE INDEX token_family_of_user ON token_family (service_user_id)');
    await runner.query('CREATE INDEX token_family_expiry ON token_family (expires_at)');
    await runner.query(`CREATE TABLE access_token (
      token_sha256 bytea PRIMARY KEY,
      family_id bigint NOT NULL REFERENCES token_family ON DELETE CASCADE,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX access_token_of_family ON access_token (family_id)');
    await runner.query('CREATE INDEX access_token_expiry ON access_token (expires_at)');
    await runner.query(`CREATE TABLE refresh_token (
      token_sha256 bytea PRIMARY KEY,
      family_id bigint NOT NULL REFERENCES token_family ON DELETE CASCADE,
      expires_at timestamptz NOT NULL,
      spent_at timestamptz
    )`);
    await runner.query('CREATE INDEX refresh_token_of_family ON refresh_token (family_id)');
    await runner.query('CREATE INDEX refresh_token_expiry ON refresh_token (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE refresh_token, access_token, token_family, client_application');
  }
}
