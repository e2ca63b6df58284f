import { releases } from '@tributary/fhir-definitions';
import { typeCodeOf } from '../type-codes';
import { keySchema } from './key-schema';

/** The type codes of Binary, as a list in SQL. The predicate of the index and of its statement must be the same. */
export const binaryTypeCodes = releases.map((release) => typeCodeOf(release, 'Binary')).join(', ');

/**
 * The schemas of the record storage. CREATE SCHEMA IF NOT EXISTS would require the privilege to create schemas even if
 * the schema exists.
 */
export const createSchemas: readonly string[] = [
  `DO $$ BEGIN IF to_regnamespace('fhir_store') IS NULL THEN CREATE SCHEMA fhir_store; END IF; END $$`,
  `DO $$ BEGIN
    IF to_regnamespace('${keySchema}') IS NULL THEN CREATE SCHEMA ${keySchema}; END IF;
  EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the schema ${keySchema} is missing and the role % may not create it', current_user
      USING HINT = format('Run provision again, or as a superuser: CREATE SCHEMA ${keySchema} AUTHORIZATION %I', current_user);
  END $$`,
];

/**
 * The tables that are partitioned by user; infra/docs/tables.md lists all tables. Everything is keyed by user_id first,
 * so that the tables can be distributed or partitioned by it. Times are epoch milliseconds. Columns of fixed width come
 * first, widest first: no padding.
 */
export const createRecordTables = (partitionBy: string): readonly string[] => [
  // The record of one user. The table contains no key. It lists the records, and has the row that batches lock. A
  // destroyed record stays as a tombstone, so that late writes are refused. It has no client if it was destroyed before
  // its first write. destroyed_at: the record refuses writes from then on. purged_at: no row of the record is left.
  // reindex_leased_until: the time until which a process re-indexes the record, or no process tries it again after a
  // failure. index_version: the oldest version of the index rules among the rows of the record. health_systems: the
  // encrypted ids of the health systems from which the record was collected; null before the first collection.
  `CREATE TABLE fhir_store.record (
    user_id bigint NOT NULL,
    created_at bigint NOT NULL,
    destroyed_at bigint,
    purged_at bigint,
    reindex_leased_until bigint,
    index_version smallint NOT NULL DEFAULT 1,
    client_id text,
    health_systems bytea,
    PRIMARY KEY (user_id)
  ) ${partitionBy}`,

  // The keys of a record, wrapped. A tombstone has none.
  `CREATE TABLE ${keySchema}.record_key (
    user_id bigint NOT NULL,
    created_at bigint NOT NULL,
    destroyed_at bigint,
    client_id text,
    wrapped_key bytea,
    PRIMARY KEY (user_id)
  ) ${partitionBy}`,

  // The index row of each current resource. index_version: the version of the index rules that the row obeys.
  // blind_terms: blinded equality values. ranges: flat triples of blinded name, low and high.
  `CREATE TABLE fhir_store.resource (
    user_id bigint NOT NULL,
    last_updated bigint NOT NULL,
    block_id bigint NOT NULL,
    source_hash bigint,
    id uuid NOT NULL,
    version integer NOT NULL,
    type_code smallint NOT NULL,
    slot smallint NOT NULL,
    index_version smallint NOT NULL DEFAULT 1,
    blind_terms bigint[] NOT NULL,
    ranges bigint[],
    PRIMARY KEY (user_id, type_code, id)
  ) ${partitionBy}`,

  // Superseded versions, and deletions. A deletion has no content; its superseded_at is null while the resource stays
  // deleted.
  `CREATE TABLE fhir_store.resource_history (
    user_id bigint NOT NULL,
    last_updated bigint NOT NULL,
    superseded_at bigint,
    block_id bigint,
    id uuid NOT NULL,
    version integer NOT NULL,
    type_code smallint NOT NULL,
    slot smallint,
    deleted boolean NOT NULL,
    PRIMARY KEY (user_id, type_code, id, version)
  ) ${partitionBy}`,

  // The encrypted entries of up to 100 versions of one type code. history: written by a compaction, with superseded
  // entries only.
  `CREATE TABLE fhir_store.block (
    user_id bigint NOT NULL,
    block_id bigint NOT NULL,
    written_at bigint NOT NULL,
    min_last_updated bigint NOT NULL,
    max_last_updated bigint NOT NULL,
    first_superseded_at bigint,
    retired_at bigint,
    plain_bytes integer NOT NULL,
    type_code smallint NOT NULL,
    entry_count smallint NOT NULL,
    history boolean NOT NULL DEFAULT false,
    content bytea NOT NULL,
    PRIMARY KEY (user_id, type_code, block_id)
  ) ${partitionBy}`,
  // Encrypted bytes do not compress, so PostgreSQL does not try. Partitions inherit it.
  `ALTER TABLE fhir_store.block ALTER COLUMN content SET STORAGE EXTERNAL`,
];

/**
 * Content in the object storage, under the name `object_id`. attached: a version refers to it, or has referred to it;
 * such an object stays until the record is destroyed. The table gets as many partitions as the others have, with the
 * names of `partitionName`.
 */
export const createContentObjects: readonly string[] = [
  `DO $$
    DECLARE
      parts integer := (SELECT count(*) FROM pg_inherits WHERE inhparent = 'fhir_store.resource'::regclass);
    BEGIN
      EXECUTE 'CREATE TABLE fhir_store.content_object (
        user_id bigint NOT NULL,
        created_at bigint NOT NULL,
        object_id uuid NOT NULL,
        attached boolean NOT NULL DEFAULT false,
        PRIMARY KEY (user_id, object_id)
      )' || CASE WHEN parts > 0 THEN ' PARTITION BY HASH (user_id)' ELSE '' END;
      FOR part IN 0 .. parts - 1 LOOP
        EXECUTE format('CREATE TABLE fhir_store.content_object_%s_%s PARTITION OF fhir_store.content_object FOR VALUES WITH (MODULUS %s, REMAINDER %s)', parts, part, parts, part);
      END LOOP;
    END $$`,
  // Finds what was uploaded and is not referred to.
  `CREATE INDEX content_object_unattached ON fhir_store.content_object (created_at) WHERE NOT attached`,
];

export const createIndexes: readonly string[] = [
  `CREATE INDEX record_of_client ON fhir_store.record (client_id, user_id)`,
  // Tombstones, and those among them whose rows are not deleted yet.
  `CREATE INDEX record_destroyed ON fhir_store.record (user_id) WHERE destroyed_at IS NOT NULL`,
  `CREATE INDEX record_unpurged ON fhir_store.record (user_id) WHERE destroyed_at IS NOT NULL AND purged_at IS NULL`,
  `CREATE INDEX record_index_version ON fhir_store.record (index_version, user_id) WHERE destroyed_at IS NULL`,
  `CREATE INDEX record_key_destroyed ON ${keySchema}.record_key (user_id) WHERE destroyed_at IS NOT NULL`,
  // Finds a Binary by its id alone, among the records of all users of a client. Rows of other types are not in it.
  `CREATE INDEX resource_binary ON fhir_store.resource (id) WHERE type_code IN (${binaryTypeCodes})`,
  `CREATE INDEX resource_history_deleted ON fhir_store.resource_history (user_id, type_code, last_updated) WHERE deleted`,
  // Find the deletions and the blocks written since a time, over all records.
  `CREATE INDEX resource_history_deleted_at ON fhir_store.resource_history (last_updated) WHERE deleted`,
  `CREATE INDEX block_written ON fhir_store.block (written_at)`,
  // Counts the superseded entries of a block.
  `CREATE INDEX resource_history_of_block ON fhir_store.resource_history (user_id, type_code, block_id) WHERE block_id IS NOT NULL`,
  `CREATE INDEX block_retired ON fhir_store.block (retired_at) WHERE retired_at IS NOT NULL`,
];

/** The tables that are not partitioned. */
export const createOtherTables: readonly string[] = [
  // The key that wraps the keys of a client's records; itself wrapped by the key-encryption key.
  `CREATE TABLE ${keySchema}.client_key (
    client_id text PRIMARY KEY,
    wrapped_key bytea NOT NULL
  )`,

  // Ids that clients chose for resources, each with the user of its record: no two records may have the same one. Ids
  // that the service assigns are UUIDs of version 8, random or derived from a secret. No client can choose these.
  `CREATE TABLE fhir_store.claimed_id (
    id uuid NOT NULL,
    user_id bigint NOT NULL,
    PRIMARY KEY (id)
  )`,
  `CREATE INDEX claimed_id_user ON fhir_store.claimed_id (user_id)`,

  // The queue of records to compact; it contains recently written records only. type_codes: those that changed. due_at:
  // the earliest time of the next compaction; during a lease, the end of the lease. lease: the number of leases so far.
  // changed: whether the record changed since the last lease.
  `CREATE TABLE fhir_store.compaction_queue (
    user_id bigint NOT NULL,
    due_at bigint NOT NULL,
    lease bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    changed boolean NOT NULL DEFAULT false,
    type_codes smallint[] NOT NULL,
    PRIMARY KEY (user_id)
  )`,
  `CREATE INDEX compaction_queue_due ON fhir_store.compaction_queue (due_at)`,

  // The time (exclusive) up to which changes have been added to the queue.
  `CREATE TABLE fhir_store.compaction_cursor (stream text PRIMARY KEY, position bigint NOT NULL)`,
  `INSERT INTO fhir_store.compaction_cursor VALUES ('block', 0), ('deletion', 0)`,
];
