/**
 * Creates consent receipts: what a user agreed to when a connection was made. A connection refers to the receipt of its
 * last consent; the receipts of earlier ones are kept until the user is deleted.
 */
export const consentTables = `
CREATE TABLE consent_receipt (
  receipt_id uuid PRIMARY KEY,
  connection_id uuid NOT NULL REFERENCES connection ON DELETE CASCADE,
  content_sealed bytea NOT NULL,
  given_at timestamptz NOT NULL,
  expires_at timestamptz,
  ended_at timestamptz,
  ended_by text CHECK (ended_by IN ('user', 'client', 'expiry', 'health_system', 'replaced')),
  CONSTRAINT ended_by_something CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);
CREATE INDEX consent_receipt_of_connection ON consent_receipt (connection_id, given_at);
CREATE UNIQUE INDEX consent_receipt_in_force ON consent_receipt (connection_id) WHERE ended_at IS NULL;
CREATE INDEX consent_receipt_expiry ON consent_receipt (expires_at) WHERE ended_at IS NULL;
-- The audit events of consents, until they are recorded. The rows outlive their user.
CREATE TABLE consent_event (
  event_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  service_user_id bigint NOT NULL,
  client_id text NOT NULL,
  receipt_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  ended_by text
);
-- The consents of deleted users. Without a foreign key: they outlive their user.
CREATE TABLE retained_consent (
  receipt_id uuid PRIMARY KEY,
  service_user_id bigint NOT NULL,
  client_id text NOT NULL,
  content_sealed bytea,
  given_at timestamptz NOT NULL,
  expires_at timestamptz,
  ended_at timestamptz NOT NULL,
  ended_by text NOT NULL
);
CREATE INDEX retained_consent_of_user ON retained_consent (service_user_id);
CREATE INDEX retained_consent_end ON retained_consent (ended_at);
`;
