import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { valueOfRun } from './run';

/** The SQLSTATE of a database that has connections. */
const objectInUse = '55006';

export interface TestDatabase {
  /** Connects as the superuser. */
  readonly url: string;
  /** Drops the database. Connections that are still open after 5 seconds are closed. */
  drop(): Promise<void>;
}

/** Creates an empty database for a test. It is removed at the end of the run at the latest. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `test_${valueOfRun('TEST_RUN')}_${randomBytes(6).toString('hex')}`;
  // template1 cannot be copied while it has connections; template0 accepts none.
  await administer(`CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE template0`);
  const url = new URL(valueOfRun('TEST_POSTGRES_URL'));
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      const drop = `DROP DATABASE IF EXISTS ${escapeIdentifier(name)}`;
      // pg-pool resolves `end()` before its connections are closed. A connection that the server terminates meanwhile
      // emits an error. PostgreSQL waits 5 seconds for other connections before it refuses to drop a database.
      await administer(drop).catch((error: unknown) => {
        if ((error as { code?: unknown }).code !== objectInUse) throw error;
        return administer(`${drop} WITH (FORCE)`);
      });
    },
  };
}

async function administer(statement: string): Promise<void> {
  const client = new Client({ connectionString: valueOfRun('TEST_POSTGRES_URL') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
