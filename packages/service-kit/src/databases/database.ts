import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';
import { Pool } from 'pg';
import { type DatabaseConfig, databaseConfig, withoutTimeLimits } from '../config/database-config';
import { migrate } from './migrate';
import { poolOptions } from './pool-options';

export interface DatabaseOptions {
  /** The configuration of the service, or a URL alone: then no time limits apply. */
  database: DatabaseConfig | string;
  /** The PostgreSQL schema this service owns. */
  schema: string;
  entities: EntitySchema[];
  migrations: (new () => MigrationInterface)[];
}

/**
 * Opens the service's database and brings its schema up to date; replicas that start together migrate one after the other.
 * @returns a connected TypeORM data source whose statements see the service's own schema first
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  await migrateDatabase(options);
  return openDataSource(asConfig(options.database), options);
}

/** Brings the service's schema up to date and leaves no connection behind. */
export async function migrateDatabase(options: DatabaseOptions): Promise<void> {
  const config = asConfig(options.database);
  // Two connections, of which one holds the lock; a statement timeout of 0 also lifts the limit that the client keeps.
  const url = config.MIGRATION_DATABASE_URL ?? config.DATABASE_URL;
  const source = await openDataSource(
    { ...config, DATABASE_URL: url, DATABASE_POOL_SIZE: 2, DATABASE_STATEMENT_TIMEOUT_MS: 0 },
    options,
  );
  try {
    await migrate(source, options.schema, config);
  } finally {
    await source.destroy();
  }
}

/** A pg pool on a service's schema, for statements that speak SQL directly. A URL alone brings no time limits. */
export function openPool(database: DatabaseConfig | string, schema: string, poolSize?: number): Pool {
  const config = asConfig(database);
  const options = poolOptions(poolSize === undefined ? config : { ...config, DATABASE_POOL_SIZE: poolSize }, schema);
  const pool = new Pool({ connectionString: config.DATABASE_URL, application_name: schema, ...options });
  ignoreIdleClientErrors(pool);
  return pool;
}

function asConfig(database: DatabaseConfig | string): DatabaseConfig {
  return typeof database === 'string' ? withoutTimeLimits(databaseConfig.parse({ DATABASE_URL: database })) : database;
}

async function openDataSource(
  config: DatabaseConfig,
  { schema, entities, migrations }: DatabaseOptions,
): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    url: config.DATABASE_URL,
    schema,
    entities,
    migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    // A service's role may not, and no service needs one.
    installExtensions: false,
    applicationName: schema,
    extra: poolOptions(config, schema),
  });
  await source.initialize();
  ignoreIdleClientErrors((source.driver as unknown as { master: Pool }).master);
  return source;
}

/**
 * A connection that PostgreSQL ends in the moment in which it is handed out tells so by an event that nobody hears yet, and that would end the process.
 * The statement that is sent on it fails in any case.
 */
function ignoreIdleClientErrors(pool: Pool): void {
  pool.on('connect', (client) => client.on('error', () => undefined));
}
