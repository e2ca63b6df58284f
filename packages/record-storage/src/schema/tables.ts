/**
 * The tables of the record storage in the schema of the first release. standard-names.ts renames version to
 * resource_history, kind to type_code, terms to blind_terms and lines to entry_count. infra/docs/tables.md has the
 * present schema. Everything is keyed by user_id first, so that the tables can be distributed or partitioned by it.
 * Times are epoch milliseconds. Columns of fixed width come first, widest first: no padding.
 */
export const createTables = (partitionBy: string): readonly string[] => [
  // CREATE SCHEMA IF NOT EXISTS would require the privilege to create schemas even if the schema exists.
  `DO $$ BEGIN IF to_regnamespace('fhir_store') IS NULL THEN CREATE SCHEMA fhir_store; END IF; END $$`,

  // The key that wraps the keys of a client's records; itself wrapped by the key-encryption key.
  `CREATE TABLE fhir_store.client_key (
    client_id text PRIMARY KEY,
    wrapped_key bytea NOT NULL
  )`,

  // The record of one user. A destroyed record stays as a tombstone without key, so that late writes are refused. It
  // has no client if it was destroyed before its first write.
  `CREATE TABLE fhir_store.record (
    user_id bigint NOT NULL,
    created_at bigint NOT NULL,
    destroyed_at bigint,
    client_id text,
    wrapped_key bytea,
    PRIMARY KEY (user_id)
  ) ${partitionBy}`,
  `CREATE INDEX record_of_client ON fhir_store.record (client_id, user_id)`,

  // The index row of each current resource. terms: blinded equality values. ranges: flat triples of blinded name, low
  // and high.
  `CREATE TABLE fhir_store.resource (
    user_id bigint NOT NULL,
    last_updated bigint NOT NULL,
    block_id bigint NOT NULL,
    source_hash bigint,
    id uuid NOT NULL,
    version integer NOT NULL,
    kind smallint NOT NULL,
    slot smallint NOT NULL,
    terms bigint[] NOT NULL,
    ranges bigint[],
    PRIMARY KEY (user_id, kind, id)
  ) ${partitionBy}`,

  // Superseded versions, and deletions. A deletion has no content; its superseded_at is null while the resource stays
  // deleted.
  `CREATE TABLE fhir_store.version (
    user_id bigint NOT NULL,
    last_updated bigint NOT NULL,
    superseded_at bigint,
    block_id bigint,
    id uuid NOT NULL,
    version integer NOT NULL,
    kind smallint NOT NULL,
    slot smallint,
    deleted boolean NOT NULL,
    PRIMARY KEY (user_id, kind, id, version)
  ) ${partitionBy}`,
  `CREATE INDEX version_deleted ON fhir_store.version (user_id, kind, last_updated) WHERE deleted`,

  // The encrypted entries of up to 100 versions of one type code (column kind). lines: the number of entries. history:
  // written by a compaction, with superseded entries only.
  `CREATE TABLE fhir_store.block (
    user_id bigint NOT NULL,
    block_id bigint NOT NULL,
    written_at bigint NOT NULL,
    min_last_updated bigint NOT NULL,
    max_last_updated bigint NOT NULL,
    first_superseded_at bigint,
    retired_at bigint,
    plain_bytes integer NOT NULL,
    kind smallint NOT NULL,
    lines smallint NOT NULL,
    history boolean NOT NULL DEFAULT false,
    content bytea NOT NULL,
    PRIMARY KEY (user_id, kind, block_id)
  ) ${partitionBy}`,
  // Encrypted bytes do not compress, so PostgreSQL does not try.
  `ALTER TABLE fhir_store.block ALTER COLUMN content SET STORAGE EXTERNAL`,
  `CREATE INDEX block_retired ON fhir_store.block (retired_at) WHERE retired_at IS NOT NULL`,
];

/** The tables that were partitioned by user in the first release; partitioning.ts has those of today. */
export const firstPartitionedTables = ['record', 'resource', 'version', 'block'] as const;

/**
 * The snapshot time of the first release; snapshot-time.ts has the one in use. An export of the versions with
 * last_updated < T is exact: a writing transaction takes its times after its own start, so a transaction that is open
 * now, or begins later, writes nothing before T. The function belongs to the role that writes, because
 * pg_stat_activity shows the transactions of that role to it only. An acknowledged time may be 50 ms ahead of the
 * clock, so T is 52 ms ahead, and the function sleeps until the clock has reached it. COPY statements only read and do
 * not hold T back.
 */
export const createSnapshotTime = `
  CREATE FUNCTION fhir_store.snapshot_time() RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    now_exclusive bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 52;
    oldest_open bigint;
  BEGIN
    PERFORM pg_sleep(0.053);
    SELECT floor(extract(epoch FROM min(xact_start)) * 1000)::bigint INTO oldest_open
    FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
      AND xact_start IS NOT NULL AND query NOT LIKE 'COPY (%';
    RETURN least(now_exclusive, oldest_open);
  END $$`;
