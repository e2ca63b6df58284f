import { createScopedKeys, createWrappingKeys } from '@tributary/key-vault';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of the developer console. Passwords are argon2id hashes. Secrets of sessions, links and recovery codes are
 * random and stored as SHA-256 hashes. TOTP secrets and waiting mails are sealed (AES-256-GCM).
 */
const accountTables = `
CREATE TABLE account (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  verified_at timestamptz,
  totp_sealed bytea,
  totp_added_at timestamptz,
  totp_last_step bigint,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((totp_sealed IS NULL) = (totp_added_at IS NULL))
);
CREATE UNIQUE INDEX account_email ON account (lower(email));
CREATE INDEX account_not_verified ON account (created_at) WHERE verified_at IS NULL;
COMMENT ON COLUMN account.totp_last_step IS 'the newest step of 30 s whose code was used: no code works twice';
CREATE TABLE passkey (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  credential_id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX passkey_of_account ON passkey (account_id);
CREATE TABLE recovery_code (
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  code_sha256 bytea NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (account_id, code_sha256)
);
CREATE TABLE email_token (
  token_sha256 bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  purpose text NOT NULL CHECK (purpose IN ('verify', 'reset')),
  expires_at timestamptz NOT NULL
);
CREATE INDEX email_token_of_account ON email_token (account_id);
CREATE INDEX email_token_expiry ON email_token (expires_at);
CREATE TABLE session (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  secret_sha256 bytea NOT NULL UNIQUE,
  account_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  second_factor_at timestamptz,
  browser text NOT NULL,
  address text NOT NULL,
  totp_offered_sealed bytea,
  passkey_challenge text,
  passkey_challenge_expires_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  ends_at timestamptz NOT NULL
);
CREATE INDEX session_of_account ON session (account_id);
CREATE INDEX session_use ON session (last_used_at);
COMMENT ON COLUMN session.second_factor_at IS 'NULL: the session has a password only';
`;

const organisationTables = `
CREATE TABLE organisation (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  may_have_live_clients boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE membership (
  organisation_id uuid NOT NULL REFERENCES organisation ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES account,
  role text NOT NULL CHECK (role IN ('owner', 'developer', 'read_only')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organisation_id, account_id)
);
CREATE INDEX membership_of_account ON membership (account_id);
CREATE TABLE invitation (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organisation_id uuid NOT NULL REFERENCES organisation ON DELETE CASCADE,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'developer', 'read_only')),
  token_sha256 bytea NOT NULL UNIQUE,
  inviter_id uuid NOT NULL REFERENCES account ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX invitation_of_email ON invitation (organisation_id, lower(email));
CREATE INDEX invitation_of_inviter ON invitation (inviter_id);
CREATE INDEX invitation_expiry ON invitation (expires_at);
`;

/** A row is committed with what its mail is about, and deleted when the mail was sent. */
const mailTables = `
CREATE TABLE mail_outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sealed bytea NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL DEFAULT now() + interval '1 day'
);
CREATE INDEX mail_outbox_due ON mail_outbox (due_at);
CREATE INDEX mail_outbox_expiry ON mail_outbox (expires_at);
`;

export class CreateSchema1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createScopedKeys(runner);
    await createWrappingKeys(runner);
    for (const tables of [accountTables, organisationTables, mailTables]) await runner.query(tables);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mail_outbox, invitation, membership, organisation');
    await runner.query('DROP TABLE session, email_token, recovery_code, passkey, account, wrapping_key, data_key');
  }
}
