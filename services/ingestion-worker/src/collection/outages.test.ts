import { Redis } from 'ioredis';
import { Client } from 'pg';
import { waitUntil } from '@tributary/test-environment';
import { sourceRecord } from '../../test/source-record';
import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

let suite: Suite;
let worker: RunningWorker;

beforeAll(async () => {
  suite = await startSuite();
  worker = await startWorker(suite.workerSettings);
});

afterAll(async () => {
  await worker?.stop();
  await suite?.stop();
});

const storedOf = ({ connection }: TestConnection): number =>
  suite.fhirStore.resourcesOf(connection.service_user_id).size;

/** Waits until a collection has ended, and expects the whole record of the person. */
async function endsComplete(held: TestConnection): Promise<void> {
  await ended([held]);
  const source = await sourceRecord(suite.sandbox, held.username, 'r4');
  expect([held.connection.status, storedOf(held)]).toEqual(['active', source.size]);
}

const failures = ({ reports }: TestConnection): (string | undefined)[] =>
  reports.filter(({ state }) => state === 'failed').map(({ failure }) => failure);

it('stays collecting while a health system is down, and completes when it is back', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const source = await sourceRecord(sandbox, 'load-300', 'r4');
  const [begun, fresh] = [
    await userManagement.connect('load-300', 'slow', 'r4', 1),
    await userManagement.connect('load-300', undefined, 'r4', 2),
  ];
  await queue.add(jobOf(begun));
  await waitUntil(() => storedOf(begun) > 0, 'the first resources are stored');
  await sandbox.shutDown();
  await queue.add(jobOf(fresh));
  // More attempts fail than a part may fail in, and more than the job itself has.
  await waitUntil(() => [begun, fresh].every((held) => failures(held).length > 6), 'many attempts have failed');
  expect([begun, fresh].map(({ connection }) => connection.status)).toEqual(['collecting', 'collecting']);
  await sandbox.restart();
  await ended([begun, fresh]);
  expect(
    [begun, fresh].map((held) => [held.connection.status, fhirStore.resourcesOf(held.connection.service_user_id).size]),
  ).toEqual([
    ['active', source.size],
    ['active', source.size],
  ]);
  expect(new Set([begun, fresh].flatMap(failures))).toEqual(new Set(['transient']));
  // Nothing that was stored before the outage was fetched again: the counts have each resource once.
  const stored = begun.reports.at(-1)?.types.reduce((sum, type) => sum + type.stored, 0);
  expect(stored).toBe(source.size);
});

it('does not let the collections of a host that is down delay those of other hosts', async () => {
  const { userManagement, queue } = suite;
  // Nobody listens there.
  const away = Array.from({ length: 200 }, () =>
    userManagement.hold('http://127.0.0.1:9/fhir', {
      access_token: 'x',
      expires_in: 36_000,
      scope: 'patient/*.read',
      patient: 'p',
    }),
  );
  await queue.add(...away.map(jobOf));
  const held = await Promise.all(
    Array.from({ length: 5 }, (_x, host) => userManagement.connect('person-1', undefined, 'r4', 10 + host)),
  );
  await queue.add(...held.map(jobOf));
  await ended(held);
  expect(held.map(({ connection }) => connection.status)).toEqual(held.map(() => 'active'));
  expect(away.every(({ connection }) => connection.status === 'collecting')).toBe(true);
  for (const { connection } of away) userManagement.held.delete(connection.connection_id);
});

describe('while internal services are unavailable', () => {
  it.each(['userManagement', 'fhirStore'] as const)(
    '%s: continues the attempt when it is available again',
    async (service) => {
      const held = await suite.userManagement.connect('load-300', 'slow', 'r4', 6);
      await suite.queue.add(jobOf(held));
      await waitUntil(() => storedOf(held) > 0, 'it has begun');
      suite[service].server.becomeUnavailable(1500);
      await endsComplete(held);
    },
  );

  it('does not count attempts during a long outage', async () => {
    const held = await suite.userManagement.connect('person-207', undefined, 'r4', 7);
    suite.fhirStore.server.becomeUnavailable(4500); // Longer than one attempt retries.
    await suite.queue.add(jobOf(held));
    await ended([held]);
    expect(held.connection.status).toBe('active');
  });
});

describe('while PostgreSQL or Redis fail', () => {
  it('continues after PostgreSQL has terminated every connection', async () => {
    const held = await suite.userManagement.connect('load-301', 'slow', 'r4', 11);
    await suite.queue.add(jobOf(held));
    const client = new Client({ connectionString: suite.workerSettings.databaseUrl });
    await client.connect();
    for (let cut = 0; cut < 5; cut++) {
      const before = storedOf(held);
      await waitUntil(() => storedOf(held) > before || held.connection.status !== 'collecting', 'it goes on');
      await client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    }
    await client.end();
    await endsComplete(held);
  });

  it('completes running collections after Redis has lost the queue, and takes new jobs', async () => {
    const lost = await suite.userManagement.connect('load-302', 'slow', 'r4', 12);
    const next = await suite.userManagement.connect('person-213', undefined, 'r4', 13);
    await suite.queue.add(jobOf(lost));
    await waitUntil(() => storedOf(lost) > 0, 'it has begun');
    const redis = new Redis(suite.workerSettings.redisUrl);
    await redis.flushdb();
    await redis.quit();
    await suite.queue.add(jobOf(next));
    await ended([lost, next]);
    expect([lost.connection.status, next.connection.status]).toEqual(['active', 'active']);
  });
});
