import type { StatementRunner } from '@tributary/key-vault';

/**
 * The planner settings of the role that owns the storage.
 *
 * plan_cache_mode: a prepared statement is planned once per connection. With the default, PostgreSQL would plan it at
 * each execution: it estimates a high cost for a plan over all partitions, although each execution reads one of them.
 * With 16 partitions, planning at each execution doubles the processor time that PostgreSQL spends on an update, and
 * adds half to that of a search. A statement that is not prepared is planned for the user that it names, and so for one
 * partition.
 *
 * enable_seqscan: a plan may have been made while a table was empty. Every statement names its user, so an index that
 * begins with the user serves it, however small the table is.
 */
function settingsOf(isPreparing: boolean): Record<string, string> {
  return { plan_cache_mode: isPreparing ? 'force_generic_plan' : 'force_custom_plan', enable_seqscan: 'off' };
}

/**
 * Sets the defaults of the connected role in this database, so that they also apply behind a connection pooler. They
 * apply to sessions that begin later. The function is idempotent, and several processes may call it at once.
 * @param isPreparing whether statements are prepared; false behind a pooler in transaction mode
 */
export async function setSessionDefaults(runner: StatementRunner, isPreparing: boolean): Promise<void> {
  const statements = Object.entries(settingsOf(isPreparing)).map(
    ([name, value]) => `
      IF current_setting('${name}') <> '${value}' THEN
        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET ${name} = ${value}', current_user, current_database());
      END IF;`,
  );
  await runner.query(`DO $$ BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('fhir_store session defaults', 0));${statements.join('')}
    END $$`);
}
