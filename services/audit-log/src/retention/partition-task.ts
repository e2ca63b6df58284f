import { type PeriodicTask, inTransaction, startPeriodicTask } from '@tributary/service-kit';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { Logger } from 'pino';

const hourMs = 3_600_000;
/** SQLSTATE. */
const lockNotAvailable = '55P03';
/** All who read and write the log wait meanwhile; a service refuses requests after five seconds. */
const partitionTimeoutMs = 4000;
/** Only those who read the month wait. Its blocks are counted, and the last one of each stream is found. */
const retirementTimeoutMs = 900_000;
/** How often new entries of the index are moved out of its pending list, in milliseconds. */
const cleanEveryMs = 10_000;

/**
 * Makes the partitions of the next months and of all others that have blocks, and drops those whose retention has
 * ended, also when none could be made. Each step is tried again an hour later, because it waits for a lock for two
 * seconds at most.
 */
export function startPartitions(pool: Pool, log: Logger): PeriodicTask {
  return startPeriodicTask({
    name: 'the care for the partitions of the audit log',
    intervalMs: hourMs,
    runsAtStart: true,
    log,
    run: async () => {
      if (await hasOthers(pool))
        log.warn(
          'audit.block_default has blocks, whose retention does not end there: the clock of a process was wrong, no partition was made in time, or there are too many',
        );
      try {
        await withTimeout(pool, partitionTimeoutMs, 'SELECT audit.create_partitions()');
      } catch (error) {
        if ((error as { code?: unknown }).code === lockNotAvailable)
          log.warn({ roles: await lockingRoles(pool) }, 'no partition was made: transactions of these roles are open');
        throw error;
      } finally {
        await dropExpired(pool, log);
      }
    },
  });
}

/** Runs a statement with a time limit of its own, in milliseconds, for PostgreSQL and for its client. */
function withTimeout<R extends QueryResultRow>(pool: Pool, timeoutMs: number, text: string): Promise<R[]> {
  return inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
    return (await client.query<R>({ text, query_timeout: timeoutMs + 5000 } as QueryConfig)).rows;
  });
}

/** The roles that hold locks of the audit log. A role that writes the log can keep a transaction open for long. */
async function lockingRoles(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ role: string }>(
    `SELECT DISTINCT usename::text AS role FROM pg_locks l JOIN pg_stat_activity USING (pid) JOIN pg_class c ON c.oid = relation
     WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND relnamespace = 'audit'::regnamespace AND granted AND pid <> pg_backend_pid() ORDER BY role`,
  );
  return rows.map(({ role }) => role);
}

/** Whether there are blocks of a month without a partition, which the next partitions take. */
async function hasOthers(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM audit.block_default LIMIT 1');
  return rowCount !== 0;
}

async function dropExpired(pool: Pool, log: Logger): Promise<void> {
  const rows = await withTimeout<{ partition: string }>(
    pool,
    retirementTimeoutMs,
    'SELECT audit.drop_expired() AS partition',
  );
  for (const { partition } of rows)
    log.info({ partition }, 'a partition of the audit log was dropped after its retention');
}

/** Cleans the pending list of the index of users and clients, so that no service that records events has to. */
export function startIndexCleaning(pool: Pool, log: Logger): PeriodicTask {
  return startPeriodicTask({
    name: 'the cleaning of the index of the audit log',
    intervalMs: cleanEveryMs,
    log,
    run: () => pool.query('SELECT audit.clean_pending()'),
  });
}
