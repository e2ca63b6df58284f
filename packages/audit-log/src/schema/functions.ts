/** A service begins a stream for each process, and another one when the database has lost it. */
const maxStreamsPerHour = 5000;
/** Moving so many takes about a second. */
const maxMovedBlocks = 20_000;
/** Of the default partition, beyond which it takes no blocks of wrong clocks: each new partition reads all of it. */
const maxDefaultBytes = 64 * 1024 ** 2;

/** A function of the schema, with the privileges of its owner. */
export interface AuditFunction {
  returns: string;
  body: string;
  /** Settings while it runs, beside `search_path`: the value of each by its name. */
  settings?: Readonly<Record<string, string>>;
}

/**
 * The functions of the schema `audit` by name. They take no arguments. Provisioning creates them anew each time, and
 * the verification compares them with those of the database.
 */
export const auditFunctions = {
  // A service can insert blocks into its own streams only: a block of another role would take a number that the next
  // block of the stream needs. The default partition takes a limited number of blocks whose time is wrong.
  check_stream: {
    returns: 'trigger',
    body: `
    BEGIN
      IF NOT EXISTS (SELECT FROM audit.stream WHERE stream_id = NEW.stream_id AND written_by = NEW.written_by) THEN
        RAISE foreign_key_violation USING MESSAGE = 'the role has no such stream';
      END IF;
      IF TG_TABLE_NAME = 'block_default' AND pg_relation_size(TG_RELID) > ${maxDefaultBytes}
        AND NEW.started_at NOT BETWEEN clock_timestamp() - interval '1 day' AND clock_timestamp() + interval '1 day' THEN
        RAISE configuration_limit_exceeded USING MESSAGE = 'the clock of the process is wrong, and there are too many blocks of wrong clocks';
      END IF;
      RETURN NEW;
    END `,
  },
  // How many streams a role can begin is limited: each is a head in the checkpoints and a row for those who read.
  check_stream_rate: {
    returns: 'trigger',
    body: `
    BEGIN
      IF (SELECT count(*) FROM (SELECT FROM audit.stream WHERE written_by = NEW.written_by
        AND written_at > clock_timestamp() - interval '1 hour' LIMIT ${maxStreamsPerHour}) AS recent) >= ${maxStreamsPerHour} THEN
        RAISE configuration_limit_exceeded USING MESSAGE = 'the role has begun too many streams within an hour';
      END IF;
      RETURN NEW;
    END `,
  },
  // Makes the partitions of this month and the next three, in UTC, and of other months of which there are blocks, such
  // as those of a wrong clock, so that their retention ends. A service chooses the times of its blocks, so months that
  // are far off stay in the default partition, and so does a month with more blocks than one call can move while all
  // who read or write the log wait. A row that no process writes keeps its month there as well. A call ends a second
  // after its first lock; the next one makes the others.
  // PostgreSQL creates no partition for a month that has rows in the default one, so the rows move before the partition
  // is attached. The lock of the whole table: a query that has found its partitions and waits for the default one would
  // find the rows neither there nor in the partition that is attached meanwhile.
  create_partitions: {
    returns: 'void',
    settings: { lock_timeout: '2s', TimeZone: 'UTC' },
    body: `
    DECLARE
      months timestamptz[] := ARRAY(SELECT date_trunc('month', now()) + ahead * interval '1 month' FROM generate_series(0, 3) AS ahead);
      room integer := ${maxMovedBlocks};
      first timestamptz := date_trunc('month', now()) - interval '10 years';
      next timestamptz;
      partition text;
      moving integer;
      until timestamptz;
    BEGIN
      LOOP
        SELECT date_trunc('month', started_at) INTO first FROM audit.block_default
          WHERE started_at >= first AND started_at < now() + interval '1 year' ORDER BY started_at LIMIT 1;
        EXIT WHEN first IS NULL;
        months := months || first;
        first := first + interval '1 month';
      END LOOP;
      FOREACH first IN ARRAY months LOOP
        next := first + interval '1 month';
        partition := 'block_' || to_char(first, 'YYYY_MM');
        CONTINUE WHEN to_regclass('audit.' || partition) IS NOT NULL;
        EXIT WHEN clock_timestamp() > until;
        BEGIN
          EXECUTE format('CREATE TABLE audit.%I (LIKE audit.block INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING CONSTRAINTS)', partition);
          LOCK TABLE audit.block IN ACCESS EXCLUSIVE MODE;
          until := coalesce(until, clock_timestamp() + interval '1 second');
          SELECT count(*) INTO moving FROM (SELECT FROM audit.block_default WHERE started_at >= first AND started_at < next LIMIT room + 1) AS others;
          IF moving > room THEN
            RAISE program_limit_exceeded USING MESSAGE = 'too many blocks to move at once';
          END IF;
          EXECUTE format('WITH moved AS (DELETE FROM audit.block_default WHERE started_at >= %L AND started_at < %L RETURNING *)
            INSERT INTO audit.%I SELECT * FROM moved', first, next, partition);
          EXECUTE format('ALTER TABLE audit.block ATTACH PARTITION audit.%I FOR VALUES FROM (%L) TO (%L)',
            partition, first, next);
          room := room - moving;
        EXCEPTION WHEN program_limit_exceeded OR integrity_constraint_violation THEN
          RAISE WARNING 'blocks of % stay in audit.block_default: %', to_char(first, 'YYYY-MM'), SQLERRM;
        END;
      END LOOP;
    END `,
  },
  // Drops the partitions whose retention has ended, and the streams that have no block any more. A partition is kept
  // while PostgreSQL has written a block of it within the retention: the clock of a process that is years behind must
  // not end the retention of what it has recorded. Such a month can be retired more than once.
  drop_expired: {
    returns: 'SETOF text',
    settings: { lock_timeout: '2s', TimeZone: 'UTC' },
    body: `
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
      DELETE FROM audit.stream WHERE stream_id IN (SELECT stream_id FROM audit.stream s
        WHERE started_at < expired AND written_at < expired
          AND NOT EXISTS (SELECT FROM audit.block b WHERE b.stream_id = s.stream_id) LIMIT 10000);
    END `,
  },
  // Moves the new entries of the index to their place. Only the owner of an index may do so.
  clean_pending: {
    returns: 'void',
    body: `
    BEGIN
      PERFORM gin_clean_pending_list(inhrelid) FROM pg_inherits WHERE inhparent = 'audit.block_keys'::regclass;
    END `,
  },
} as const satisfies Readonly<Record<string, AuditFunction>>;

/** The functions that audit-log may call; triggers call the others. */
export const readerFunctions: readonly string[] = Object.entries<AuditFunction>(auditFunctions).flatMap(
  ([name, { returns }]) => (returns === 'trigger' ? [] : [name]),
);

/** The `search_path` of each function. */
const functionPath = 'pg_catalog, pg_temp';

/** The settings of a function as PostgreSQL has them, `<name>=<value>`. */
export function settingsOf({ settings = {} }: AuditFunction): string[] {
  return Object.entries({ search_path: functionPath, ...settings }).map(([name, value]) => `${name}=${value}`);
}

/** The triggers by name: the table, and the function that it calls for each row that is inserted. */
export const auditTriggers = {
  block_of_own_stream: { table: 'block', calls: 'check_stream' },
  stream_within_rate: { table: 'stream', calls: 'check_stream_rate' },
} as const;

/** Statements that create the functions and the triggers, or replace older ones. */
export function functionStatements(): string[] {
  const functions = Object.entries<AuditFunction>(auditFunctions).map(
    ([name, { returns, body, settings = {} }]) =>
      `CREATE OR REPLACE FUNCTION audit.${name}() RETURNS ${returns} LANGUAGE plpgsql SECURITY DEFINER
       SET search_path = ${functionPath} ${Object.entries(settings)
         .map(([setting, value]) => `SET ${setting} = '${value}'`)
         .join(' ')} AS $$${body}$$`,
  );
  const triggers = Object.entries(auditTriggers).map(
    ([name, { table, calls }]) =>
      `CREATE OR REPLACE TRIGGER ${name} BEFORE INSERT ON audit.${table} FOR EACH ROW EXECUTE FUNCTION audit.${calls}()`,
  );
  return [...functions, ...triggers];
}
