import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { valueOfRun } from './run';

export interface TestDatabase {
  /** Connects as the superuser, who may create roles, schemas and extensions. */
  readonly url: string;
  /** Removes the database; connections that are still open are cut. */
  drop(): Promise<void>;
}

/** A fresh, empty database of its own for the test that asks. It is gone with the run even if nobody drops it. */
export async function createDatabase(): Promise<TestDatabase> {
  const name = `test_${valueOfRun('TEST_RUN')}_${randomBytes(6).toString('hex')}`;
  // template1 cannot be copied while anybody is connected to it; nobody can connect to template0.
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
