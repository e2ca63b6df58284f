import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import type { DatabaseConfig } from '../config/database-config';
import { sessionSettings } from './pool-options';
import { assertSchemaIsFirst, storeRoleSettings } from './role-settings';

/** A migration waits for a lock no longer than this: every statement that comes after it on the same table waits behind it. */
const lockTimeoutMs = 3000;
/** Between two tries the statements that waited behind it have their turn. */
const retryMs = 2000;
/** So many tries take at least five minutes. */
const mostTries = 60;
const turnRetryMs = 200;

const lockNotAvailable = '55P03';
const undefinedTable = '42P01';

/**
 * Brings the schema up to date. Replicas that start together migrate one after the other: the lock is held by a transaction, and not by a session, which
 * behind a pooler is not one connection. Each migration is one transaction; one that does not get its locks in time is rolled back and tried again.
 * @throws Error when a later version of the service has changed the schema, or when other transactions hold the locks for minutes
 */
export async function migrate(source: DataSource, schema: string, config: DatabaseConfig): Promise<void> {
  limitTransactions(source);
  const turn = source.createQueryRunner();
  try {
    await takeTurn(turn, `migrate ${schema}`);
    const [{ present }] = (await source.query(
      `select exists (select from pg_namespace where nspname = $1) as present`,
      [schema],
    )) as [{ present: boolean }];
    if (!present) await source.query(`create schema "${schema}"`);
    if (config.DATABASE_POOLER === 'transaction') {
      await storeRoleSettings((sql, values) => source.query(sql, values), sessionSettings(config, schema));
      await assertSchemaIsFirst((sql) => source.query(sql), schema);
    }
    await assertNotLater(source, schema);
    await runMigrations(source, schema);
    await turn.commitTransaction();
  } catch (error) {
    if (turn.isTransactionActive) await turn.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await turn.release();
  }
}

async function runMigrations(source: DataSource, schema: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await source.runMigrations({ transaction: 'each' });
      return;
    } catch (error) {
      if (codeOf(error) !== lockNotAvailable) throw error;
      if (tries >= mostTries)
        throw new Error(
          `a migration of the schema ${schema} does not get its locks: end the transactions that hold them, see pg_stat_activity and pg_locks`,
          { cause: error },
        );
      await pause(retryMs);
    }
  }
}

/** An older version of a service must not run on the schema of a later one: it does not know what its rows mean. */
async function assertNotLater(source: DataSource, schema: string): Promise<void> {
  const known = new Set(source.migrations.map((migration) => migration.name ?? migration.constructor.name));
  const unknown = (await executedMigrations(source, schema)).filter((name) => !known.has(name));
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

/** Begins a transaction that holds the lock. Who waits holds no connection: a pooler may have few, and whoever has the lock needs another one. */
async function takeTurn(runner: QueryRunner, name: string): Promise<void> {
  for (;;) {
    await runner.startTransaction();
    const [{ held }] = (await runner.query(`select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held`, [
      name,
    ])) as [{ held: boolean }];
    if (held) return;
    await runner.rollbackTransaction();
    await pause(turnRetryMs);
  }
}

/** A migration may run for long, but not wait for long. Behind a pooler the time limits of requests are settings of the role, so each transaction sets its own. */
function limitTransactions(source: DataSource): void {
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
