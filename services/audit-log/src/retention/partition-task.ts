import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

const hourMs = 3_600_000;
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
        log.warn('audit.block_default has blocks: the clock of a process was wrong, or no partition was made in time');
      try {
        await pool.query('SELECT audit.create_partitions()');
      } finally {
        await dropExpired(pool, log);
      }
    },
  });
}

/** Whether there are blocks of a month without a partition, which the next partitions take. */
async function hasOthers(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM audit.block_default LIMIT 1');
  return rowCount !== 0;
}

async function dropExpired(pool: Pool, log: Logger): Promise<void> {
  const { rows } = await pool.query<{ partition: string }>('SELECT audit.drop_expired() AS partition');
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
