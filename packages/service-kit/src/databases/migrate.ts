import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import type { DatabaseConfig } from '../config/database-config';
import { sessionSettings } from './pool-options';
import { assertSchemaIsFirst, storeRoleSettings } from './role-settings';

/** How a migration waits for the locks of its tables. */
export interface LockWait {
  /**
   * The lock timeout, in milliseconds. Statements on the same table queue behind a waiting migration, so it must not
   * wait long.
   */
  timeoutMs: number;
  /** The pause between two attempts, in which the queued statements run, in milliseconds. */
  retryPauseMs: number;
}

const defaultLockWait: LockWait = { timeoutMs: 3000, retryPauseMs: 2000 };
/** Together with the default timeouts and pauses these take at least five minutes. */
const maxAttempts = 60;
const lockPollMs = 200;

const lockNotAvailable = '55P03';
const undefinedTable = '42P01';

/** A schema at the version of this software. */
export interface MigratedSchema {
  schema: string;
  /** How many migrations have made it. */
  version: number;
  /** How many of them were applied now. */
  applied: number;
}

/**
 * Runs the pending migrations of the schema. An advisory lock makes replicas that start together migrate one after the
 * other; a transaction holds it and not a session, because behind a transaction pooler a session is not one connection.
 * Each migration is one transaction, which is rolled back and tried again when it does not get its locks in time.
 * @throws Error when a later version of the service has changed the schema, or when other transactions hold the locks
 * for minutes
 */
export async function migrate(
  source: DataSource,
  schema: string,
  config: DatabaseConfig,
  { timeoutMs, retryPauseMs } = defaultLockWait,
): Promise<MigratedSchema> {
  limitTransactions(source, timeoutMs);
  const lockHolder = source.createQueryRunner();
  try {
    await lockMigrations(lockHolder, `migrate ${schema}`);
    const [{ present }] = (await source.query(
      `select exists (select from pg_namespace where nspname = $1) as present`,
      [schema],
    )) as [{ present: boolean }];
    if (!present) await source.query(`create schema "${schema}"`);
    if (config.DATABASE_POOLER === 'transaction') {
      await storeRoleSettings((sql, values) => source.query(sql, values), sessionSettings(config, schema));
      await assertSchemaIsFirst((sql) => source.query(sql), schema);
    }
    const executed = await executedMigrations(source, schema);
    assertNotLater(source, schema, executed);
    await runMigrations(source, schema, retryPauseMs);
    await lockHolder.commitTransaction();
    const version = source.migrations.length;
    return { schema, version, applied: version - executed.length };
  } catch (error) {
    if (lockHolder.isTransactionActive) await lockHolder.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await lockHolder.release();
  }
}

async function runMigrations(source: DataSource, schema: string, retryPauseMs: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await source.runMigrations({ transaction: 'each' });
      return;
    } catch (error) {
      if (codeOf(error) !== lockNotAvailable) throw error;
      if (attempt >= maxAttempts)
        throw new Error(
          `a migration of the schema ${schema} cannot acquire its locks: end the transactions that hold them, see pg_stat_activity and pg_locks`,
          { cause: error },
        );
      await pause(retryPauseMs);
    }
  }
}

/** An older version of a service must not run on the schema of a later one, whose rows it may misinterpret. */
function assertNotLater(source: DataSource, schema: string, executed: readonly string[]): void {
  const known = new Set(source.migrations.map((migration) => migration.name ?? migration.constructor.name));
  const unknown = executed.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const names = unknown.join(', ');
  throw new Error(
    `a later version of this service has changed the schema ${schema} (${names}): start that version, or restore a backup from before it was started`,
  );
}

async function executedMigrations(source: DataSource, schema: string): Promise<string[]> {
  try {
    return ((await source.query(`select name from "${schema}".migration order by id`)) as { name: string }[]).map(
      ({ name }) => name,
    );
  } catch (error) {
    if (codeOf(error) === undefinedTable) return [];
    throw error;
  }
}

/**
 * Begins a transaction that holds the advisory lock. It polls, because a waiting transaction would keep a server
 * connection of the pooler that the lock holder may need.
 */
async function lockMigrations(runner: QueryRunner, name: string): Promise<void> {
  for (;;) {
    await runner.startTransaction();
    const [{ held }] = (await runner.query(`select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held`, [
      name,
    ])) as [{ held: boolean }];
    if (held) return;
    await runner.rollbackTransaction();
    await pause(lockPollMs);
  }
}

/**
 * Lets migrations run without a time limit but wait for locks only briefly. Each transaction sets this itself, because
 * behind a pooler the limits of requests are role settings.
 */
function limitTransactions(source: DataSource, lockTimeoutMs: number): void {
  const create = source.createQueryRunner.bind(source);
  source.createQueryRunner = (mode) => {
    const runner = create(mode);
    const start = runner.startTransaction.bind(runner);
    runner.startTransaction = async (isolation) => {
      await start(isolation);
      await runner.query('set local statement_timeout = 0');
      await runner.query('set local idle_in_transaction_session_timeout = 0');
      await runner.query(`set local lock_timeout = ${lockTimeoutMs}`);
    };
    return runner;
  };
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}
