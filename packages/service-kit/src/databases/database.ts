import { DataSource, type EntitySchema, type MigrationInterface } from 'typeorm';
import { Pool } from 'pg';

export interface DatabaseOptions {
  url: string;
  /** The PostgreSQL schema this service owns. */
  schema: string;
  entities: EntitySchema[];
  migrations: (new () => MigrationInterface)[];
  poolSize?: number;
}

/**
 * Opens the service's database and brings its schema up to date; replicas that start together migrate one after the other.
 * @returns a connected TypeORM data source whose statements see the service's own schema first
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  const source = new DataSource({
    type: 'postgres',
    url: options.url,
    schema: options.schema,
    entities: options.entities,
    migrations: options.migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    // A service's role may not, and no service needs one.
    installExtensions: false,
    applicationName: options.schema,
    extra: { max: options.poolSize ?? 10, options: `-c search_path=${options.schema},public`, connectionTimeoutMillis: 10_000 },
  });
  await source.initialize();
  bearLostConnections((source.driver as unknown as { master: Pool }).master);
  try {
    await migrate(source, options.schema);
  } catch (error) {
    await source.destroy();
    throw error;
  }
  return source;
}

/** A pg pool on a service's schema, for statements that speak SQL directly. */
export function openPool(url: string, schema: string, poolSize = 10): Pool {
  const pool = new Pool({ connectionString: url, max: poolSize, application_name: schema, options: `-c search_path=${schema},public`, connectionTimeoutMillis: 10_000 });
  bearLostConnections(pool);
  return pool;
}

/**
 * A connection that PostgreSQL ends in the moment in which it is handed out tells so by an event that nobody hears yet, and that would end the process.
 * The statement that is sent on it fails in any case.
 */
function bearLostConnections(pool: Pool): void {
  pool.on('connect', (client) => client.on('error', () => undefined));
}

async function migrate(source: DataSource, schema: string): Promise<void> {
  const runner = source.createQueryRunner();
  await runner.connect();
  try {
    await runner.query(`select pg_advisory_lock(hashtextextended($1, 0))`, [`migrate ${schema}`]);
    const [{ present }] = (await runner.query(`select exists (select from pg_namespace where nspname = $1) as present`, [schema])) as [{ present: boolean }];
    if (!present) await runner.query(`create schema "${schema}"`);
    await source.runMigrations({ transaction: 'each' });
  } finally {
    await runner.query(`select pg_advisory_unlock(hashtextextended($1, 0))`, [`migrate ${schema}`]);
    await runner.release();
  }
}
