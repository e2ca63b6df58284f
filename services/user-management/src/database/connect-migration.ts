import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Connect: our registrations at health systems, authorizations under way, grants and the connections they serve. */
export class Connect1763700000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE registration (
      registration_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      matches text NOT NULL CHECK (matches IN ('fhir_base', 'host')),
      pattern text NOT NULL,
      client_id text NOT NULL,
      client_secret_sealed bytea,
      auth_method text NOT NULL CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt')),
      scopes text,
      changed_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (matches, pattern),
      CONSTRAINT secret_where_the_method_needs_one CHECK ((auth_method IN ('client_secret_basic', 'client_secret_post')) = (client_secret_sealed IS NOT NULL))
    )`);
    await runner.query(`CREATE TABLE signing_key (
      kid text PRIMARY KEY,
      algorithm text NOT NULL CHECK (algorithm IN ('RS384', 'ES384')),
      public_jwk jsonb NOT NULL,
      private_key_sealed bytea NOT NULL,
      signs_from timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`);
    await runner.query(`CREATE TABLE authorization_attempt (
      state_hash bytea PRIMARY KEY,
      browser_hash bytea NOT NULL,
      service_user_id bigint NOT NULL REFERENCES service_user,
      sealed bytea NOT NULL,
      expires_at timestamptz NOT NULL
    )`);
    await runner.query('CREATE INDEX authorization_attempt_of_user ON authorization_attempt (service_user_id)');
    await runner.query('CREATE INDEX authorization_attempt_expiry ON authorization_attempt (expires_at)');
    await runner.query(`CREATE TABLE health_system_grant (
      grant_id uuid PRIMARY KEY,
      service_user_id bigint NOT NULL REFERENCES service_user,
      fhir_base_url text NOT NULL,
      token_endpoint text NOT NULL,
      signing_algorithms text[],
      client_authentication text NOT NULL,
      tokens_sealed bytea NOT NULL,
      token_id uuid NOT NULL,
      obtained_at timestamptz NOT NULL,
      expires_at timestamptz,
      scope text NOT NULL,
      refresh_lease uuid,
      refresh_lease_until timestamptz
    )`);
    await runner.query('CREATE INDEX health_system_grant_of_user ON health_system_grant (service_user_id)');
    await runner.query(`CREATE TABLE connection (
      connection_id uuid PRIMARY KEY,
      service_user_id bigint NOT NULL REFERENCES service_user,
      client_id text NOT NULL,
      health_system_id bigint NOT NULL,
      health_system_name text NOT NULL,
      fhir_version text NOT NULL CHECK (fhir_version IN ('dstu2', 'stu3', 'r4')),
      fhir_base_url text NOT NULL,
      patient_sealed bytea NOT NULL,
      patient_blind bytea NOT NULL,
      grant_id uuid REFERENCES health_system_grant ON DELETE SET NULL,
      status text NOT NULL CHECK (status IN ('collecting', 'active', 'needs_reauthorization', 'failed', 'revoked')),
      collection_id uuid NOT NULL,
      queued_at timestamptz,
      progress jsonb NOT NULL DEFAULT '[]',
      error text,
      last_completed_at timestamptz,
      next_collection_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (service_user_id, health_system_id, fhir_version, patient_blind)
    )`);
    await runner.query('CREATE INDEX connection_of_grant ON connection (grant_id)');
    await runner.query(
      `CREATE INDEX connection_awaiting_collection ON connection (queued_at NULLS FIRST) WHERE status = 'collecting'`,
    );
    await runner.query(
      `CREATE INDEX connection_due ON connection (next_collection_at) WHERE status IN ('active', 'failed')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['connection', 'health_system_grant', 'authorization_attempt', 'signing_key', 'registration'])
      await runner.query(`DROP TABLE ${table}`);
  }
}
