import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { type DatabaseConfig, databaseConfig, withoutTimeLimits } from '../config/database-config';
import { PasswordPool } from './database-password';
import { measurePool } from '../metrics/pool-metrics';
import { type LockWait, type MigratedSchema, migrate } from './migrate';
import { poolOptions, sessionSettings } from './pool-options';
import { storeRoleSettings } from './role-settings';
import { isConnectTimeout } from './unavailable';

export interface DatabaseOptions {
  /** The settings of the service, or only a URL; then no time limits apply. */
  database: DatabaseConfig | string;
  /** The PostgreSQL schema that this service owns. */
  schema: string;
  entities: EntitySchema[];
  migrations: (new () => MigrationInterface)[];
  /** How migrations wait for locks; by default up to 3 s, again and again for minutes. */
  lockWait?: LockWait;
}

/**
 * Migrates the schema of the service and opens its database. Replicas that start together migrate one after the other.
 * @returns a connected TypeORM data source whose `search_path` begins with the schema
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  await migrateDatabase(options);
  return openMigratedDatabase(options);
}

/** Opens the database of a service after `migrateDatabase`. */
export function openMigratedDatabase(options: DatabaseOptions): Promise<DataSource> {
  return whileConnectingTimesOut(() => openDataSource(asConfig(options.database), options));
}

/** Migrates the schema of the service, and closes its connections. */
export function migrateDatabase(options: DatabaseOptions): Promise<MigratedSchema> {
  const config = asConfig(options.database);
  // Two connections, because one holds the migration lock. A statement timeout of 0 also disables the timeout of the
  // client.
  const url = config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL;
  return whileConnectingTimesOut(async () => {
    const source = await openDataSource(
      { ...config, DATABASE_URL: url, DATABASE_POOL_SIZE: 2, DATABASE_STATEMENT_TIMEOUT_MS: 0 },
      options,
    );
    try {
      return await migrate(source, options.schema, config, options.lockWait);
    } finally {
      await source.destroy();
    }
  });
}

/** How long a start is tried again, in milliseconds. */
const startWithinMs = 180_000;

/**
 * Runs work of a start again while connections are not established in time. When all services of a busy host start at
 * once, PostgreSQL may take longer than DATABASE_CONNECT_TIMEOUT_MS, and a process that ended would make its next start
 * add to the load.
 */
async function whileConnectingTimesOut<T>(work: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + startWithinMs; ;) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectTimeout(error) || performance.now() > until) throw error;
    }
  }
}

export interface PoolSettings {
  /** Connections at most; DATABASE_POOL_SIZE by default. */
  size?: number;
  /** Receives a warning for each idle connection that is lost; pg replaces it on demand. */
  log?: Logger;
}

/**
 * Stores the settings of sessions on the role of a service without migrations, because a transaction pooler does not
 * accept them from its clients. Replicas that start together do it one after the other.
 */
export async function storeSessionSettings(pool: Pool, config: DatabaseConfig, schema: string): Promise<void> {
  if (config.DATABASE_POOLER !== 'transaction') return;
  const client = await whileConnectingTimesOut(() => pool.connect());
  try {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('session settings of ${schema}'))`);
    const run = async (sql: string, values?: unknown[]): Promise<unknown> => (await client.query(sql, values)).rows;
    await storeRoleSettings(run, sessionSettings(config, schema));
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
}

/** A pg pool on the schema of a service. With only a URL no time limits apply. */
export function openPool(database: DatabaseConfig | string, schema: string, { size, log }: PoolSettings = {}): Pool {
  const config = asConfig(database);
  const options = poolOptions(size === undefined ? config : { ...config, DATABASE_POOL_SIZE: size }, schema);
  const pool = new (poolClass(config))({ application_name: schema, ...options });
  measurePool(pool, schema, size ?? config.DATABASE_POOL_SIZE);
  ignoreIdleClientErrors(pool);
  // Without a listener the event would end the process.
  pool.on('error', (error) => log?.warn({ err: { message: error.message } }, 'a database connection was lost'));
  return pool;
}

function asConfig(database: DatabaseConfig | string): DatabaseConfig {
  return typeof database === 'string' ? withoutTimeLimits(databaseConfig.parse({ DATABASE_URL: database })) : database;
}

/** Only a password of its own can be replaced while the process runs. */
function poolClass({ DATABASE_PASSWORD }: DatabaseConfig): typeof Pool {
  return DATABASE_PASSWORD === undefined ? Pool : PasswordPool;
}

async function openDataSource(
  config: DatabaseConfig,
  { schema, entities, migrations }: DatabaseOptions,
): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    schema,
    entities,
    migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    // The role of a service is not allowed to, and no service needs one.
    installExtensions: false,
    applicationName: schema,
    extra: poolOptions(config, schema),
    driver: { Pool: poolClass(config) },
  });
  await source.initialize();
  const pool = poolOf(source);
  ignoreIdleClientErrors(pool);
  measurePool(pool, schema, config.DATABASE_POOL_SIZE);
  return source;
}

/** The pool of a data source, for SQL that locks, batches or is prepared. */
export function poolOf(source: DataSource): Pool {
  return (source.driver as unknown as { master: Pool }).master;
}

/**
 * Ignores `error` events of pooled clients. pg-pool has no listener between the moment it hands out a client and its
 * first query, and an `error` event without a listener would end the process. The query on the lost connection fails in
 * any case.
 */
function ignoreIdleClientErrors(pool: Pool): void {
  pool.on('connect', (client) => client.on('error', () => undefined));
}
