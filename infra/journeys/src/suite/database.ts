import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseName } from '@tributary/postgres';
import { Client } from 'pg';
import type { Ready } from './ready';

/** The folder of the local suite; undefined when the journeys run against containers. */
const home = process.env['JOURNEY_HOME'];
/** The address of PostgreSQL in its container, with the password of the superuser, and the file of its authority. */
const { JOURNEY_DATABASE_URL: url, JOURNEY_DATABASE_CA_FILE: authority } = process.env;

/** `describe` for tests that use the database of the suite as its superuser. */
export const describeDatabase = home === undefined && url === undefined ? describe.skip : describe;

/** `describe` for tests that need the processes and files of the local suite. */
export const describeLocal = home === undefined ? describe.skip : describe;

/** Runs work on the database of the suite as the superuser. */
export async function withDatabase<T>(ready: Ready, work: (client: Client) => Promise<T>): Promise<T> {
  const client = url === undefined ? localClient(ready) : clientInContainers(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function localClient(ready: Ready): Client {
  return new Client({
    host: '127.0.0.1',
    port: Number(new URL(ready.base_url).port) + 30,
    user: 'postgres',
    password: readFileSync(join(home ?? '', 'postgres', 'cluster', 'tributary-superuser-password'), 'utf8'),
    database: databaseName,
    ...(ready.ca_file === undefined ? {} : { ssl: { ca: readFileSync(ready.ca_file) } }),
  });
}

function clientInContainers(address: string): Client {
  const { hostname: host, password } = new URL(address);
  const ssl = { ca: readFileSync(authority ?? ''), servername: 'postgres' };
  return new Client({ host, user: 'postgres', password: decodeURIComponent(password), database: databaseName, ssl });
}
