/**
 * Creates connect: the registrations and signing keys of our client, links that begin a connect session, authorizations
 * that wait for their callback, grants, the connections that use them, tokens that are to be revoked, paused hosts, and
 * counts of outcomes per health system.
 */
export const connectTables = `
-- The callback of a registration is null where it is the one that registrations share.
CREATE TABLE registration (
  registration_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  matches text NOT NULL CHECK (matches IN ('fhir_base', 'host')),
  pattern text NOT NULL,
  client_id text NOT NULL,
  client_secret_sealed bytea,
  auth_method text NOT NULL CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post',
    'private_key_jwt')),
  scopes text,
  callback text,
  changed_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (matches, pattern),
  CONSTRAINT secret_where_the_method_needs_one
    CHECK ((auth_method IN ('client_secret_basic', 'client_secret_post')) = (client_secret_sealed IS NOT NULL))
);
CREATE INDEX registration_pattern ON registration (pattern);
CREATE TABLE signing_key (
  kid text PRIMARY KEY,
  algorithm text NOT NULL CHECK (algorithm IN ('RS384', 'ES384')),
  public_jwk jsonb NOT NULL,
  private_key_sealed bytea NOT NULL,
  signs_from timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
-- Links live for ten minutes.
CREATE TABLE connect_link (
  link_hash bytea PRIMARY KEY,
  browser_secret_hash bytea,
  service_user_id bigint NOT NULL REFERENCES service_user,
  contents_sealed bytea NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX connect_link_of_user ON connect_link (service_user_id);
CREATE INDEX connect_link_expiry ON connect_link (expires_at);
CREATE TABLE pending_authorization (
  state_hash bytea PRIMARY KEY,
  browser_secret_hash bytea NOT NULL,
  service_user_id bigint NOT NULL REFERENCES service_user,
  contents_sealed bytea NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX pending_authorization_of_user ON pending_authorization (service_user_id);
CREATE INDEX pending_authorization_expiry ON pending_authorization (expires_at);
CREATE TABLE accepted_scope_step (
  fhir_base_url text NOT NULL,
  client_id text NOT NULL,
  step text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (fhir_base_url, client_id)
);
CREATE TABLE health_system_grant (
  grant_id uuid PRIMARY KEY,
  service_user_id bigint NOT NULL REFERENCES service_user,
  fhir_base_url text NOT NULL,
  token_endpoint text NOT NULL,
  signing_algorithms text[],
  client_authentication_method text NOT NULL,
  tokens_sealed bytea NOT NULL,
  token_id uuid NOT NULL,
  obtained_at timestamptz NOT NULL,
  expires_at timestamptz,
  requested_scope text NOT NULL,
  scope text NOT NULL,
  search_parameters jsonb NOT NULL DEFAULT '{}',
  refreshable boolean NOT NULL,
  refresh_lease uuid,
  refresh_lease_until timestamptz,
  refresh_failures integer NOT NULL DEFAULT 0,
  refresh_refusals integer NOT NULL DEFAULT 0,
  refused_since timestamptz,
  refusal_probes integer NOT NULL DEFAULT 0,
  useless_tokens integer NOT NULL DEFAULT 0,
  next_refresh_at timestamptz,
  issued_at timestamptz NOT NULL DEFAULT now(),
  client_problem text CHECK (client_problem IN ('not_registered', 'refused')),
  client_problem_since timestamptz
);
CREATE INDEX health_system_grant_of_user ON health_system_grant (service_user_id);
CREATE INDEX health_system_grant_of_fhir_base ON health_system_grant (fhir_base_url, issued_at);
CREATE INDEX health_system_grant_client_problem ON health_system_grant (client_problem_since)
  WHERE client_problem IS NOT NULL;
-- Without a foreign key: the tokens of a deleted user are revoked after the row of the user is deleted.
CREATE TABLE token_revocation (
  revocation_id uuid PRIMARY KEY,
  service_user_id bigint NOT NULL,
  fhir_base_url text NOT NULL,
  superseded_by text[] NOT NULL DEFAULT '{}',
  fhir_version text NOT NULL,
  client_authentication_method text NOT NULL,
  tokens_sealed bytea NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX token_revocation_due ON token_revocation (due_at);
-- consent_receipt_id has no foreign key: the two tables would refer to each other. deleted_before counts what
-- health systems have deleted and may restore: a restored resource is counted once. The fillfactor leaves room for
-- heap-only tuple (HOT) updates by progress reports.
CREATE TABLE connection (
  connection_id uuid PRIMARY KEY,
  service_user_id bigint NOT NULL REFERENCES service_user,
  client_id text NOT NULL,
  health_system_id bigint NOT NULL,
  health_system_name text NOT NULL,
  fhir_version text NOT NULL CHECK (fhir_version IN ('dstu2', 'stu3', 'r4')),
  fhir_base_url text NOT NULL,
  patient_id_sealed bytea NOT NULL,
  patient_id_blind_index bytea NOT NULL,
  person_sealed bytea,
  is_other_person boolean NOT NULL DEFAULT false,
  grant_id uuid REFERENCES health_system_grant ON DELETE SET NULL,
  consent_receipt_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('collecting', 'active', 'needs_reauthorization', 'failed', 'revoked')),
  last_announced_status text CHECK (last_announced_status IN ('active', 'needs_reauthorization', 'failed')),
  collection_id uuid NOT NULL,
  progress jsonb NOT NULL DEFAULT '[]',
  last_result jsonb,
  collected_before bigint NOT NULL DEFAULT 0,
  deleted_before bigint NOT NULL DEFAULT 0,
  error jsonb,
  enqueue_at timestamptz NOT NULL DEFAULT now(),
  enqueue_attempts integer NOT NULL DEFAULT 0,
  heartbeat_at timestamptz,
  retry_at timestamptz,
  failing_since timestamptz,
  failed_attempts integer NOT NULL DEFAULT 0,
  last_completed_at timestamptz,
  next_collection_at timestamptz,
  full_collection text CHECK (full_collection IN ('requested', 'under_way')),
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (service_user_id, health_system_id, fhir_version, patient_id_blind_index)
) WITH (fillfactor = 85);
COMMENT ON COLUMN connection.person_sealed IS 'name, birth date and identifiers of the Patient as last read, sealed under the data key of the user';
CREATE INDEX connection_of_grant ON connection (grant_id);
CREATE INDEX connection_to_enqueue ON connection (enqueue_at) WHERE status = 'collecting';
CREATE INDEX connection_due ON connection (next_collection_at) WHERE status IN ('active', 'failed');
-- The hosts of health systems to which the operator has paused all requests.
CREATE TABLE paused_host (
  host text PRIMARY KEY,
  reason text NOT NULL,
  paused_at timestamptz NOT NULL DEFAULT now()
);
-- Counts, without users; see outcomes/connect-outcomes.ts.
CREATE TABLE connect_outcome (
  health_system_id bigint NOT NULL,
  health_system_name text NOT NULL,
  day date NOT NULL,
  kind text NOT NULL CHECK (kind IN ('connect', 'refresh', 'collection', 'type_refused')),
  reason text NOT NULL CHECK (reason ~ '^[A-Za-z0-9_]{1,64}$'),
  occurrences bigint NOT NULL,
  PRIMARY KEY (health_system_id, day, kind, reason)
) WITH (fillfactor = 70);
CREATE INDEX connect_outcome_by_day ON connect_outcome (day);
`;
