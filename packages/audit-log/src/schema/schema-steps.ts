/** The statements of each version of the schema. A released one is not changed; a later one is appended. */
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
    // Makes the partitions of this month and the next three, in UTC.
    `CREATE FUNCTION audit.create_partitions() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' SET timezone = 'UTC' AS $$
    DECLARE
      first timestamptz;
      partition text;
    BEGIN
      FOR ahead IN 0..3 LOOP
        first := date_trunc('month', now()) + ahead * interval '1 month';
        partition := 'block_' || to_char(first, 'YYYY_MM');
        CONTINUE WHEN to_regclass('audit.' || partition) IS NOT NULL;
        EXECUTE format('CREATE TABLE audit.%I PARTITION OF audit.block FOR VALUES FROM (%L) TO (%L)',
          partition, first, first + interval '1 month');
      END LOOP;
    END $$`,
    // Drops the partitions whose retention has ended, and the streams that have no block any more.
    `CREATE FUNCTION audit.drop_expired() RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' SET timezone = 'UTC' AS $$
    DECLARE
      expired timestamptz := now() - (SELECT days FROM audit.retention) * interval '1 day';
      partition text;
      first timestamptz;
    BEGIN
      FOR partition IN SELECT relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = 'audit.block'::regclass AND relname ~ '^block_[0-9]{4}_[0-9]{2}$' ORDER BY relname
      LOOP
        first := to_date(substr(partition, 7), 'YYYY_MM');
        EXIT WHEN expired IS NULL OR first + interval '1 month' > expired;
        EXECUTE format('LOCK TABLE audit.%I IN ACCESS EXCLUSIVE MODE', partition);
        EXECUTE format('INSERT INTO audit.retirement (partition, from_at, to_at, blocks, heads)
          SELECT %L, %L, %L, (SELECT count(*) FROM audit.%I),
            coalesce(string_agg(uuid_send(stream_id) || int8send(sequence) || hash, '''' ORDER BY stream_id), '''')
          FROM (SELECT DISTINCT ON (stream_id) stream_id, sequence, hash FROM audit.%I
            ORDER BY stream_id, sequence DESC) AS head',
          partition, first, first + interval '1 month', partition, partition);
        EXECUTE format('DROP TABLE audit.%I', partition);
        RETURN NEXT partition;
      END LOOP;
      DELETE FROM audit.stream s WHERE started_at < expired
        AND NOT EXISTS (SELECT FROM audit.block b WHERE b.stream_id = s.stream_id);
    END $$`,
    // Only the owner of an index may clean its list.
    `CREATE FUNCTION audit.clean_pending() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
      PERFORM gin_clean_pending_list(inhrelid) FROM pg_inherits WHERE inhparent = 'audit.block_keys'::regclass;
    END $$`,
  ],
  [
    // A block of a clock that is ahead lies in the default partition, and PostgreSQL creates no partition for a month
    // that has rows there. The rows move to the partition of their month before it is attached.
    `CREATE OR REPLACE FUNCTION audit.create_partitions() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' SET timezone = 'UTC' AS $$
    DECLARE
      first timestamptz;
      next timestamptz;
      partition text;
    BEGIN
      FOR ahead IN 0..3 LOOP
        first := date_trunc('month', now()) + ahead * interval '1 month';
        next := first + interval '1 month';
        partition := 'block_' || to_char(first, 'YYYY_MM');
        CONTINUE WHEN to_regclass('audit.' || partition) IS NOT NULL;
        EXECUTE format('CREATE TABLE audit.%I (LIKE audit.block INCLUDING DEFAULTS INCLUDING STORAGE)', partition);
        LOCK TABLE audit.block_default IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('WITH moved AS (DELETE FROM audit.block_default WHERE started_at >= %L AND started_at < %L RETURNING *)
          INSERT INTO audit.%I SELECT * FROM moved', first, next, partition);
        EXECUTE format('ALTER TABLE audit.block ATTACH PARTITION audit.%I FOR VALUES FROM (%L) TO (%L)',
          partition, first, next);
      END LOOP;
    END $$`,
  ],
  [
    // When the periodic verification has last ended, who does it now, and where one of many checkpoints continues.
    `CREATE TABLE audit.verification (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      verified_at timestamptz,
      claimed_by uuid,
      claimed_until timestamptz,
      position jsonb
    )`,
    'INSERT INTO audit.verification DEFAULT VALUES',
  ],
  [
    // Also makes the partitions of other months of which there are blocks, such as those of a wrong clock, so that
    // their retention ends. The limits: a name of a partition has a year of four digits, and one call is short.
    `CREATE OR REPLACE FUNCTION audit.create_partitions() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' SET timezone = 'UTC' AS $$
    DECLARE
      usual timestamptz[] := ARRAY(SELECT date_trunc('month', now()) + ahead * interval '1 month' FROM generate_series(0, 3) AS ahead);
      others timestamptz[] := ARRAY(SELECT DISTINCT date_trunc('month', started_at) AS month FROM audit.block_default
        WHERE started_at >= '1970-01-01' AND started_at < '10000-01-01' ORDER BY month LIMIT 24);
      first timestamptz;
      next timestamptz;
      partition text;
    BEGIN
      FOREACH first IN ARRAY usual || others LOOP
        next := first + interval '1 month';
        partition := 'block_' || to_char(first, 'YYYY_MM');
        CONTINUE WHEN to_regclass('audit.' || partition) IS NOT NULL;
        EXECUTE format('CREATE TABLE audit.%I (LIKE audit.block INCLUDING DEFAULTS INCLUDING STORAGE)', partition);
        LOCK TABLE audit.block_default IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('WITH moved AS (DELETE FROM audit.block_default WHERE started_at >= %L AND started_at < %L RETURNING *)
          INSERT INTO audit.%I SELECT * FROM moved', first, next, partition);
        EXECUTE format('ALTER TABLE audit.block ATTACH PARTITION audit.%I FOR VALUES FROM (%L) TO (%L)',
          partition, first, next);
      END LOOP;
    END $$`,
    // A partition is kept while PostgreSQL has written a block of it within the retention: the clock of a process that
    // is years behind must not end the retention of what it has recorded. Such a month can be retired more than once.
    `CREATE OR REPLACE FUNCTION audit.drop_expired() RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s' SET timezone = 'UTC' AS $$
    DECLARE
      expired timestamptz := now() - (SELECT days FROM audit.retention) * interval '1 day';
      dropped text;
      first timestamptz;
      is_kept boolean;
      label text;
    BEGIN
      FOR dropped IN SELECT relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = 'audit.block'::regclass AND relname ~ '^block_[0-9]{4}_[0-9]{2}$' ORDER BY relname
      LOOP
        first := to_date(substr(dropped, 7), 'YYYY_MM');
        EXIT WHEN expired IS NULL OR first + interval '1 month' > expired;
        EXECUTE format('SELECT EXISTS (SELECT FROM audit.%I WHERE written_at > $1)', dropped) INTO is_kept USING expired;
        CONTINUE WHEN is_kept;
        EXECUTE format('LOCK TABLE audit.%I IN ACCESS EXCLUSIVE MODE', dropped);
        EXECUTE format('SELECT EXISTS (SELECT FROM audit.%I WHERE written_at > $1)', dropped) INTO is_kept USING expired;
        CONTINUE WHEN is_kept;
        label := dropped || coalesce((SELECT '.' || count(*) + 1 FROM audit.retirement r
          WHERE split_part(r.partition, '.', 1) = dropped HAVING count(*) > 0), '');
        EXECUTE format('INSERT INTO audit.retirement (partition, from_at, to_at, blocks, heads)
          SELECT %L, %L, %L, (SELECT count(*) FROM audit.%I),
            coalesce(string_agg(uuid_send(stream_id) || int8send(sequence) || hash, '''' ORDER BY stream_id), '''')
          FROM (SELECT DISTINCT ON (stream_id) stream_id, sequence, hash FROM audit.%I
            ORDER BY stream_id, sequence DESC) AS head',
          label, first, first + interval '1 month', dropped, dropped);
        EXECUTE format('DROP TABLE audit.%I', dropped);
        RETURN NEXT dropped;
      END LOOP;
      DELETE FROM audit.stream s WHERE started_at < expired AND written_at < expired
        AND NOT EXISTS (SELECT FROM audit.block b WHERE b.stream_id = s.stream_id);
    END $$`,
  ],
  [
    // The lock of the whole table: a query that has found its partitions and waits for the default one would find the
    // rows neither there nor in the partition that is attached meanwhile.
    `DO $$ BEGIN
      EXECUTE replace(pg_get_functiondef('audit.create_partitions()'::regprocedure),
        'LOCK TABLE audit.block_default IN', 'LOCK TABLE audit.block IN');
    END $$`,
  ],
  [
    // Each service may insert rows, also for others. A row that a reader of the log cannot take as a block or a stream
    // is refused here. Readers do not rely on it: a superuser can drop a constraint.
    `ALTER TABLE audit.stream ADD CONSTRAINT stream_is_well_formed CHECK (
      started_at >= '1970-01-01Z' AND started_at < '10000-01-01Z' AND octet_length(key_wrapped) <= 8192
      AND char_length(service) <= 100 AND char_length(instance) <= 400 AND char_length(key_id) <= 200 AND char_length(version) <= 200
    ) NOT VALID`,
    `ALTER TABLE audit.block ADD CONSTRAINT block_is_well_formed CHECK (
      sequence >= 0 AND sequence < 9007199254740992 AND started_at >= '1970-01-01Z' AND started_at < '10000-01-01Z'
      AND events >= 0 AND (cardinality(keys) = 0 OR array_ndims(keys) = 1) AND array_position(keys, NULL) IS NULL
      AND octet_length(previous) = 32 AND octet_length(hash) = 32
    ) NOT VALID`,
    // A partition must have the constraint to be attached.
    `DO $$ BEGIN
      EXECUTE replace(pg_get_functiondef('audit.create_partitions()'::regprocedure),
        'INCLUDING STORAGE)', 'INCLUDING STORAGE INCLUDING CONSTRAINTS)');
    END $$`,
  ],
];
