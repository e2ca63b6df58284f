import type { StatementRunner } from '@tributary/key-vault';

/**
 * How PostgreSQL plans the statements of the role that owns the storage.
 *
 * plan_cache_mode: a prepared statement is planned once for each connection. By itself PostgreSQL would plan it again each time, since it takes
 * a plan over all partitions for an expensive one, though each run reads one of them. Measured with 16 partitions, planning each time doubles
 * the processor time that PostgreSQL spends on an update, and adds half to that of a search. A statement that is not prepared is planned for the
 * user it names, and so for one partition.
 *
 * enable_seqscan: a plan may have been made while a table was empty. Every statement names its user, and the index that begins with the
 * user serves it, however small the table is.
 */
function settingsOf(isPreparing: boolean): Record<string, string> {
  return { plan_cache_mode: isPreparing ? 'force_generic_plan' : 'force_custom_plan', enable_seqscan: 'off' };
}

/**
 * Sets this as the defaults of the connected role in this database, so that it holds behind a pooler of connections, too. For sessions that begin
 * later. May be repeated, by several processes at once.
 * @param isPreparing whether statements are prepared: not so behind a pooler that may run each transaction on another connection
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
