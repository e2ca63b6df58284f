import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of auth. Client secrets, codes and tokens are stored as SHA-256 hashes only. `requested_types` and
 * `consent_days` are what the users of a client are asked to agree to when they connect to a health system. `people`
 * says whether the record of a user holds one person, or may hold several.
 *
 * A row of `token_family` begins with an authorization code and stands for every token that descends from it: deleting
 * the row ends them all. The row holds the one current refresh token of the family, so no refresh token has a row of
 * its own.
 */
export class CreateSchema1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE client_application (
      client_id text PRIMARY KEY,
      name text NOT NULL,
      mode text NOT NULL CHECK (mode IN ('test', 'live')),
      secret_sha256 bytea NOT NULL,
      redirect_uris text[] NOT NULL CHECK (cardinality(redirect_uris) > 0),
      jwks jsonb,
      jwks_url text,
      created_at timestamptz NOT NULL DEFAULT now(),
      disabled_at timestamptz,
      requested_types text[] CHECK (cardinality(requested_types) > 0),
      consent_days integer CHECK (consent_days >= 0),
      people text NOT NULL DEFAULT 'one' CHECK (people IN ('one', 'several')),
      previous_secret_sha256 bytea,
      previous_secret_expires_at timestamptz,
      deletion_at timestamptz,
      CHECK (num_nonnulls(jwks, jwks_url) <= 1)
    )`);
    await this.#createTokenFamily(runner);
    await runner.query(`CREATE TABLE access_token (
      token_sha256 bytea PRIMARY KEY,
      family_id bigint NOT NULL REFERENCES token_family ON DELETE CASCADE,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX access_token_of_family ON access_token (family_id)');
    await runner.query('CREATE INDEX access_token_expiry ON access_token (expires_at)');
    await runner.query(`CREATE TABLE system_access_token (
      token_sha256 bytea PRIMARY KEY,
      client_id text NOT NULL REFERENCES client_application ON DELETE CASCADE,
      scope text NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX system_access_token_expiry ON system_access_token (expires_at)');
    await runner.query(`CREATE TABLE used_assertion (
      client_id text NOT NULL REFERENCES client_application ON DELETE CASCADE,
      jti_sha256 bytea NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (client_id, jti_sha256)
    )`);
    await runner.query('CREATE INDEX used_assertion_expiry ON used_assertion (expires_at)');
    await runner.query(`CREATE TABLE revocation_outbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      message jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE revocation_outbox, used_assertion, system_access_token, access_token, token_family, client_application',
    );
  }

  async #createTokenFamily(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE token_family (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      client_id text NOT NULL REFERENCES client_application,
      service_user_id bigint NOT NULL,
      scope text NOT NULL,
      code_sha256 bytea NOT NULL UNIQUE,
      code_expires_at timestamptz NOT NULL,
      code_used_at timestamptz,
      handle_sha256 bytea UNIQUE,
      refresh_sha256 bytea,
      previous_refresh_sha256 bytea,
      rotated_at timestamptz,
      unused_access_sha256 bytea,
      expires_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL DEFAULT now() + interval '365 days'
    )`);
    await runner.query('CREATE INDEX token_family_of_user ON token_family (service_user_id)');
    await runner.query('CREATE INDEX token_family_expiry ON token_family (expires_at)');
    for (const [column, meaning] of [
      ['handle_sha256', 'handle that every refresh token of the family begins with; NULL until the code is used'],
      ['refresh_sha256', 'current refresh token; NULL until the code is used'],
      ['previous_refresh_sha256', 'refresh token that the current one replaced'],
      ['rotated_at', 'when the previous refresh token was replaced for the first time'],
      [
        'unused_access_sha256',
        'access token issued with the current refresh token, until one of the two is used; NULL after that, and when there is no previous refresh token',
      ],
      ['expires_at', 'expiry of the code, or of the current refresh token'],
      ['ends_at', 'when all tokens of the family end; a refresh does not move it'],
    ])
      await runner.query(`COMMENT ON COLUMN token_family.${column} IS '${meaning}'`);
  }
}
