/**
 * The statements of each version of the tables. A released one is not changed; a later one is appended. Functions are
 * apart (`functions.ts`).
 */
export const auditSchemaSteps: readonly (readonly string[])[] = [
  [
    // The blocks of one process. key_wrapped: the key of its blocks, wrapped for the readers. instance: host and
    // process id. version: that of the software.
    `CREATE TABLE audit.stream (
      stream_id uuid PRIMARY KEY,
      service text NOT NULL,
      instance text NOT NULL,
      started_at timestamptz NOT NULL,
      key_wrapped bytea NOT NULL,
      key_id text NOT NULL,
      version text NOT NULL,
      written_by name NOT NULL DEFAULT current_user,
      written_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`,
    // Events that were written together. sequence: without gaps from 0 in each stream. keys: the users and clients of
    // its events. previous: the hash of the block before.
    `CREATE TABLE audit.block (
      stream_id uuid NOT NULL,
      sequence bigint NOT NULL,
      started_at timestamptz NOT NULL,
      events integer NOT NULL,
      keys bigint[] NOT NULL,
      previous bytea NOT NULL,
      content bytea NOT NULL,
      hash bytea NOT NULL,
      written_by name NOT NULL DEFAULT current_user,
      written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (stream_id, sequence, started_at)
    ) PARTITION BY RANGE (started_at)`,
    // New entries are appended to a list, which clean_pending() moves to the index, so that no writer waits for it. The
    // limit is in kilobytes.
    `CREATE INDEX block_keys ON audit.block USING gin (keys) WITH (fastupdate = on, gin_pending_list_limit = 65536)`,
    `CREATE INDEX block_started ON audit.block (started_at)`,
    // Takes what no other partition takes, such as the blocks of a wrong clock.
    `CREATE TABLE audit.block_default PARTITION OF audit.block DEFAULT`,
    // The heads of the streams at a time, signed. Its content is explained where audit-log writes it.
    `CREATE TABLE audit.checkpoint (
      number bigint PRIMARY KEY,
      at timestamptz NOT NULL,
      previous bytea NOT NULL,
      heads bytea NOT NULL,
      hash bytea NOT NULL,
      signature bytea NOT NULL,
      key_id text NOT NULL
    )`,
    // A partition that was dropped after its retention. heads: the last block of each stream in it, as in a checkpoint.
    `CREATE TABLE audit.retirement (
      partition text PRIMARY KEY,
      from_at timestamptz NOT NULL,
      to_at timestamptz NOT NULL,
      blocks bigint NOT NULL,
      heads bytea NOT NULL,
      dropped_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`,
    // How long blocks are kept. Provisioning sets it: no service can shorten it.
    `CREATE TABLE audit.retention (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), days integer NOT NULL CHECK (days > 0))`,
    // When the periodic verification has last ended, and who does it now. A verification is made in one turn: whoever
    // could set its position could leave out the blocks.
    `CREATE TABLE audit.verification (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      verified_at timestamptz,
      claimed_by uuid,
      claimed_until timestamptz
    )`,
    'INSERT INTO audit.verification DEFAULT VALUES',
    // A row that a reader of the log cannot take as a block or a stream is refused here. Readers do not rely on it: a
    // superuser can drop a constraint.
    `ALTER TABLE audit.stream ADD CONSTRAINT stream_is_well_formed CHECK (
      started_at >= '1970-01-01Z' AND started_at < '10000-01-01Z' AND octet_length(key_wrapped) <= 8192
      AND char_length(service) <= 100 AND char_length(instance) <= 400 AND char_length(key_id) <= 200 AND char_length(version) <= 200
    ) NOT VALID`,
    `ALTER TABLE audit.block ADD CONSTRAINT block_is_well_formed CHECK (
      sequence >= 0 AND sequence < 9007199254740992 AND started_at >= '1970-01-01Z' AND started_at < '10000-01-01Z'
      AND events >= 0 AND (cardinality(keys) = 0 OR array_ndims(keys) = 1) AND array_position(keys, NULL) IS NULL
      AND octet_length(previous) = 32 AND octet_length(hash) = 32
    ) NOT VALID`,
    // The limits of block-limits.ts, and times as processes have them.
    `ALTER TABLE audit.block ADD CONSTRAINT block_is_bounded CHECK (
      octet_length(content) <= 16777216 AND cardinality(keys) <= 12288
      AND started_at = date_trunc('milliseconds', started_at)
    ) NOT VALID`,
    // How many streams a role has begun within an hour.
    `CREATE INDEX stream_written ON audit.stream (written_by, written_at)`,
  ],
];
