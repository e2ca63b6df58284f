import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, escapeIdentifier } from 'pg';
import { valueOfRun } from './run';
import { type DatabaseTemplate, provideTemplate } from './template';

/** How often, every 10 ms, a database that is dropped is checked for connections before they are terminated. */
const maxChecks = 100;

export interface TestDatabase {
  /** Connects as the superuser. */
  readonly url: string;
  /** Drops the database. Connections that are still open after about a second are terminated. */
  drop(): Promise<void>;
}

/**
 * Creates a database for a test: empty, or a copy of a template. It is removed at the end of the run at the latest.
 */
export async function createDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const name = `test_${valueOfRun('TEST_RUN')}_${randomBytes(6).toString('hex')}`;
  // template1 cannot be copied while it has connections; template0 accepts none.
  const source = template ? await provideTemplate(template) : 'template0';
  await asAdministrator((client) =>
    // Copying files takes a third of the time of copying pages through the write-ahead log, the default.
    client.query(`CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(source)} STRATEGY FILE_COPY`),
  );
  const url = new URL(valueOfRun('TEST_POSTGRES_URL'));
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () =>
      asAdministrator(async (client) => {
        // pg-pool resolves `end()` before its connections are closed, and a connection that the server terminates
        // emits an error, which ends a process that does not expect it.
        const connections = `SELECT FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`;
        for (let checks = 0; checks < maxChecks; checks++) {
          if ((await client.query(connections, [name])).rowCount === 0) break;
          await pause(10);
        }
        await client.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
      }),
  };
}

async function asAdministrator(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: valueOfRun('TEST_POSTGRES_URL') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
