import { sourceRecord } from '../../test/source-record';
import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf } from '../../test/fake-user-management';
import { within } from '../../test/within';
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
  await within(
    300_000,
    'the first resources are stored',
    () => fhirStore.resourcesOf(begun.connection.service_user_id).size > 0,
  );
  await sandbox.shutDown();
  await queue.add(jobOf(fresh));
  // More attempts fail than a part may fail in, and more than the job itself has.
  await within(300_000, 'many attempts have failed', () => [begun, fresh].every((held) => failures(held).length > 6));
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
