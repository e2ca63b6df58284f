import { waitUntil } from '@tributary/test-environment';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

let suite: Suite;
let worker: RunningWorker | undefined;
let client: Client;

beforeAll(async () => {
  suite = await startSuite();
  worker = await startWorker(suite.workerSettings);
  client = new Client({ connectionString: suite.workerSettings.databaseUrl });
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  await worker?.stop();
  await suite?.stop();
});

/** How many rows each table of the worker has, except those of the migrations and of the installation. */
async function rowsOfTables(): Promise<Record<string, number>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'ingestion_worker' AND tablename NOT IN ('migration', 'wrapping_key')`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables)
    counts[name] = Number(
      (await client.query<{ count: string }>(`SELECT count(*) FROM ingestion_worker."${name}"`)).rows[0]?.count,
    );
  return counts;
}

const noRows = { collection: 0, collection_checkpoint: 0, data_key: 0, full_search: 0, returned_resources: 0 };

it('deletes all rows and keys of a connection that is deleted during its collection', async () => {
  const { userManagement, fhirStore, queue } = suite;
  const held = await userManagement.connect('load-400', 'slow', 'r4', 1);
  await queue.add(jobOf(held));
  await waitUntil(
    () => fhirStore.resourcesOf(held.connection.service_user_id).size > 0,
    'the first resources are stored',
  );
  expect(await rowsOfTables()).toEqual({
    ...noRows,
    collection: 1,
    collection_checkpoint: expect.any(Number),
    data_key: 1,
  });
  userManagement.held.delete(held.connection.connection_id);
  await waitUntil(async () => Object.values(await rowsOfTables()).every((rows) => rows === 0), 'everything is deleted');
  expect(await rowsOfTables()).toEqual(noRows);
});

it('deletes what completed collections have left of a connection that is gone', async () => {
  const { userManagement, queue } = suite;
  const held = await userManagement.connect('person-3', undefined, 'r4', 3);
  await queue.add(jobOf(held));
  await ended([held]);
  expect((await rowsOfTables())['full_search']).toBeGreaterThan(5);
  userManagement.held.delete(held.connection.connection_id);
  await client.query('UPDATE ingestion_worker.collection SET next_check_at = now()');
  await worker?.sweep.run();
  expect(await rowsOfTables()).toEqual(noRows);
});

/** Waits until the connection is revoked, and its collection has left no row. */
async function stops({ connection }: TestConnection): Promise<void> {
  await waitUntil(async () => {
    const { rows } = await client.query('SELECT FROM ingestion_worker.collection WHERE connection_id = $1', [
      connection.connection_id,
    ]);
    return connection.status === 'revoked' && rows.length === 0;
  }, 'the collection stops');
}

it('stops a collection under way at its next page when the consent ends', async () => {
  const { userManagement, fhirStore, queue } = suite;
  const held = await userManagement.connect('load-400', 'slow');
  const storedOf = (): number => fhirStore.resourcesOf(held.connection.service_user_id).size;
  let storedBefore = 0;
  userManagement.onReport = (reporting) => {
    if (reporting !== held || held.hasConsentEnded) return;
    held.hasConsentEnded = true;
    storedBefore = storedOf();
  };
  await queue.add(jobOf(held));
  await stops(held);
  expect([storedBefore > 0, storedOf() < 400, held.reports]).toEqual([true, true, []]);
});

it('collects nothing, and reports no failure, when the consent ends before the first access token', async () => {
  const { userManagement, fhirStore, queue } = suite;
  const held = await userManagement.connect('person-3', undefined);
  held.hasConsentEnded = true;
  const reports: string[] = [];
  userManagement.onReport = (reporting, { state }) => void (reporting === held && reports.push(state));
  await queue.add(jobOf(held));
  await stops(held);
  expect([fhirStore.resourcesOf(held.connection.service_user_id).size, reports]).toEqual([0, []]);
});

it('sweeps the rows of a connection that was deleted while its collection waited', async () => {
  const { userManagement, fhirStore, queue } = suite;
  const held = await userManagement.connect('load-400', 'slow', 'r4', 2);
  await queue.add(jobOf(held));
  await waitUntil(
    () => fhirStore.resourcesOf(held.connection.service_user_id).size > 0,
    'the first resources are stored',
  );
  await worker?.stop();
  worker = undefined;
  userManagement.held.delete(held.connection.connection_id);
  const redis = new Redis(suite.workerSettings.redisUrl);
  await redis.flushdb();
  await redis.quit();
  const sweeper = await startWorker(suite.workerSettings);
  expect((await rowsOfTables())['collection_checkpoint']).toBeGreaterThan(0);
  await client.query('UPDATE ingestion_worker.collection SET next_check_at = now()');
  await sweeper.sweep.run();
  expect(await rowsOfTables()).toEqual(noRows);
  await sweeper.stop();
});
