import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import type { TestDatabase } from './database';
import { valueOfRun } from './run';

export interface TestRole {
  /** Connects to the database as the role. */
  readonly url: string;
  /** Drops the role. Drop the database first, because the role owns objects in it. */
  drop(): Promise<void>;
}

/**
 * Creates a role like that of a service: it may create schemas in the database, and its search_path begins with the
 * given schema.
 */
export async function createRole(database: TestDatabase, schema: string): Promise<TestRole> {
  const name = `role_${valueOfRun('TEST_RUN')}_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  const url = new URL(database.url);
  const [role, inDatabase] = [escapeIdentifier(name), escapeIdentifier(url.pathname.slice(1))];
  await administer(`
    CREATE ROLE ${role} LOGIN PASSWORD ${escapeLiteral(password)};
    GRANT CREATE, CONNECT, TEMPORARY ON DATABASE ${inDatabase} TO ${role};
    ALTER ROLE ${role} IN DATABASE ${inDatabase} SET search_path = ${escapeIdentifier(schema)}, public`);
  [url.username, url.password] = [name, password];
  return { url: url.href, drop: () => administer(`DROP ROLE IF EXISTS ${role}`) };
}

async function administer(statements: string): Promise<void> {
  const client = new Client({ connectionString: valueOfRun('TEST_POSTGRES_URL') });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
