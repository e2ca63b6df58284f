import { Client, escapeIdentifier } from 'pg';
import { valueOfRun } from './run';
import { waitUntil } from './wait-until';

/** A database with the tables of a service, of which each test gets a copy: faster than migrations for each test. */
export interface DatabaseTemplate {
  /** The same name stands for the same tables. */
  readonly name: string;
  /** Creates the tables, and closes its connections. */
  readonly migrate: (url: string) => Promise<unknown>;
}

/** A template whose tables migrations of TypeORM create, without TypeORM. */
export function migratedTemplate(
  name: string,
  migrations: readonly (new () => { up(runner: Client): Promise<void> })[],
): DatabaseTemplate {
  return {
    name,
    migrate: async (url) => {
      const client = new Client({ connectionString: url });
      await client.connect();
      for (const Migration of migrations) await new Migration().up(client);
      await client.end();
    },
  };
}

/** The name of the template's database. The first test of the run that needs it makes it; others wait. */
export async function provideTemplate({ name, migrate }: DatabaseTemplate): Promise<string> {
  const database = `test_${valueOfRun('TEST_RUN')}_template_${name}`;
  const url = new URL(valueOfRun('TEST_POSTGRES_URL'));
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [database]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 1) return database;
    // Under its final name only when it is complete.
    const draft = `${database}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(draft)} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${escapeIdentifier(draft)} TEMPLATE template0`);
    url.pathname = `/${draft}`;
    await migrate(url.href);
    await client.query(`ALTER DATABASE ${escapeIdentifier(draft)} ALLOW_CONNECTIONS false`);
    await untilUnused(client, draft);
    await client.query(`ALTER DATABASE ${escapeIdentifier(draft)} RENAME TO ${escapeIdentifier(database)}`);
    return database;
  } finally {
    await client.end();
  }
}

/** pg-pool resolves `end()` before its connections are closed. */
async function untilUnused(client: Client, database: string): Promise<void> {
  const connections = 'SELECT FROM pg_stat_activity WHERE datname = $1';
  await waitUntil(async () => (await client.query(connections, [database])).rowCount === 0);
}
