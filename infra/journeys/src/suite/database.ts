import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseName } from '@tributary/postgres';
import { Client } from 'pg';
import type { Ready } from './ready';

/**
 * The folder of the local suite; undefined when the journeys run against containers, whose database cannot be reached.
 */
const home = process.env['JOURNEY_HOME'];

/** `describe` for tests that read the database of the suite as its superuser. */
export const describeDatabase = home === undefined ? describe.skip : describe;

/** Runs work on the database of the suite as the superuser. */
export async function withDatabase<T>(ready: Ready, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    host: '127.0.0.1',
    port: Number(new URL(ready.base_url).port) + 30,
    user: 'postgres',
    password: readFileSync(join(home ?? '', 'postgres', 'cluster', 'tributary-superuser-password'), 'utf8'),
    database: databaseName,
    ...(ready.ca_file === undefined ? {} : { ssl: { ca: readFileSync(ready.ca_file) } }),
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
