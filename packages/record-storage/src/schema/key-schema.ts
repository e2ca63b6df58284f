/**
 * The schema of all keys. It is separate from `fhir_store` so that it has separate backups: a record is destroyed for
 * good once the backups of this schema that still contain its key have expired, however long the backups of the records
 * are kept.
 */
export const keySchema = 'fhir_store_keys';

/** The wrapping keys that wrap the keys of clients, where a key service wraps them. */
export const wrappingKeyTable = `${keySchema}.wrapping_key`;

/**
 * The columns of `fhir_store.record`, which contains no key. The table lists the records, marks the destroyed ones, and
 * has the row that batches lock.
 */
const recordColumns = `
    user_id bigint NOT NULL,
    created_at bigint NOT NULL,
    destroyed_at bigint,
    purged_at bigint,
    client_id text,
    PRIMARY KEY (user_id)`;

/**
 * Moves the keys out of the schema of the records. The tables that contain keys are moved as they are, with their dead
 * rows, so that no file of `fhir_store` contains a key afterwards. `fhir_store.record` is created again from the other
 * columns, partitioned as before. destroyed_at: the record refuses writes from then on. purged_at: no row of the record
 * is left.
 */
export const moveKeys: readonly string[] = [
  `DO $$ BEGIN
    IF to_regnamespace('${keySchema}') IS NULL THEN CREATE SCHEMA ${keySchema}; END IF;
  EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the schema ${keySchema} is missing and the role % may not create it', current_user
      USING HINT = format('Run provision again, or as a superuser: CREATE SCHEMA ${keySchema} AUTHORIZATION %I', current_user);
  END $$`,
  `ALTER TABLE fhir_store.client_key SET SCHEMA ${keySchema}`,
  `DO $$
  DECLARE
    partition_name text;
    partitions integer := 0;
    partition_by text := '';
    leaf regclass;
  BEGIN
    LOCK TABLE fhir_store.record IN ACCESS EXCLUSIVE MODE;
    FOR partition_name IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'fhir_store.record'::regclass
    LOOP
      EXECUTE format('ALTER TABLE fhir_store.%I SET SCHEMA ${keySchema}', partition_name);
      EXECUTE format('ALTER TABLE ${keySchema}.%I RENAME TO %I', partition_name, replace(partition_name, 'record_', 'record_key_'));
      partitions := partitions + 1;
      partition_by := 'PARTITION BY HASH (user_id)';
    END LOOP;
    ALTER TABLE fhir_store.record SET SCHEMA ${keySchema};
    DROP INDEX ${keySchema}.record_of_client;
    ALTER TABLE ${keySchema}.record RENAME TO record_key;
    ALTER INDEX ${keySchema}.record_pkey RENAME TO record_key_pkey;

    EXECUTE 'CREATE TABLE fhir_store.record (${recordColumns}) ' || partition_by;
    FOR part IN 0 .. partitions - 1 LOOP
      EXECUTE format('CREATE TABLE fhir_store.record_%s PARTITION OF fhir_store.record FOR VALUES WITH (MODULUS %s, REMAINDER %s)', part, partitions, part);
    END LOOP;

    -- A destroyed key is removed from the pages soon, and not only when a share of the table is dead.
    FOR leaf IN SELECT relid FROM pg_partition_tree('${keySchema}.record_key') WHERE isleaf LOOP
      EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0)', leaf);
    END LOOP;
  END $$`,
  `INSERT INTO fhir_store.record (user_id, created_at, destroyed_at, client_id)
    SELECT user_id, created_at, destroyed_at, client_id FROM ${keySchema}.record_key`,
  `CREATE INDEX record_of_client ON fhir_store.record (client_id, user_id)`,
  // Tombstones, and those among them whose rows are not deleted yet.
  `CREATE INDEX record_destroyed ON fhir_store.record (user_id) WHERE destroyed_at IS NOT NULL`,
  `CREATE INDEX record_unpurged ON fhir_store.record (user_id) WHERE destroyed_at IS NOT NULL AND purged_at IS NULL`,
  `CREATE INDEX record_key_destroyed ON ${keySchema}.record_key (user_id) WHERE destroyed_at IS NOT NULL`,
];
