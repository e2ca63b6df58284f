import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { valueOfRun } from './run';

export interface TestDatabase {
  /** Connects as the superuser. */
  readonly url: string;
  /** Drops the database and closes its open connections. */
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
    drop: () => administer(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`),
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
