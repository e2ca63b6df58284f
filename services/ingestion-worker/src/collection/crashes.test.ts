import type { ChildProcess } from 'node:child_process';
import { waitUntil } from '@tributary/test-environment';
import { FakeHealthSystem, tokens } from '../../test/fake-health-system';
import { KillableWorkers } from '../../test/killable-worker';
import { sourceRecord } from '../../test/source-record';
import { type Suite, ended, startSuite } from '../../test/suite';
import { jobOf } from '../../test/fake-user-management';

jest.setTimeout(900_000);

let suite: Suite;
let workers: KillableWorkers;
let poisonous: FakeHealthSystem;

beforeAll(async () => {
  // One page whose objects take far more memory than its text: the heap of a worker is too small for them.
  const page = Buffer.from(
    `{"resourceType":"Bundle","type":"searchset","entry":[${'{"resource":{"a":{}}},'.repeat(1_500_000)}{}]}`,
  );
  poisonous = await FakeHealthSystem.start((response) => {
    response.writeHead(200, { 'Content-Type': 'application/fhir+json', 'Content-Length': page.length }).end(page);
  });
  suite = await startSuite({ collectionsAtOnce: 8 });
  workers = new KillableWorkers(suite.workerSettings, ['--max-old-space-size=180']);
});

afterAll(async () => {
  await workers?.stop();
  await poisonous?.stop();
  await suite?.stop();
});

it('fails a collection that crashes its process with a reason, and completes all others', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const source = await sourceRecord(sandbox, 'load-180', 'r4');
  const poison = userManagement.hold(poisonous.base, tokens);
  const others = await Promise.all(
    Array.from({ length: 5 }, (_x, host) => userManagement.connect('load-180', 'slow', 'r4', host)),
  );
  await queue.add(jobOf(poison), ...others.map(jobOf));

  // An orchestrator starts the worker again whenever it crashes.
  let isOver = false;
  let crashes = 0;
  let current: ChildProcess | undefined;
  const supervised = (async () => {
    while (!isOver) {
      const child = (current = await workers.start());
      await workers.crashed(child);
      if (!isOver) crashes++;
    }
  })();
  await ended([poison, ...others]);
  isOver = true;
  // SIGKILL could leave the permit of the last collection, until it expires.
  current?.kill('SIGTERM');
  await supervised;

  expect(poison.reports.at(-1)).toMatchObject({
    state: 'failed',
    failure: 'permanent',
    error: { code: 'internal_error', message: expect.stringContaining('crashed') as string },
  });
  expect(
    others.map((held) => [held.connection.status, fhirStore.resourcesOf(held.connection.service_user_id).size]),
  ).toEqual(others.map(() => ['active', source.size]));
  expect(others.flatMap(({ reports }) => reports.filter(({ state }) => state === 'failed'))).toEqual([]);
  expect(
    others.flatMap(({ connection }) =>
      [...fhirStore.record(connection.service_user_id).resources.values()].filter(({ version }) => version > 1),
    ),
  ).toEqual([]);
  // It ran with others at most twice; then it was isolated.
  expect([1, 2]).toContain(crashes);

  // The next collection of the connection is isolated from the start.
  const again = await workers.start();
  await queue.add(userManagement.collectAgain(poison));
  await waitUntil(() => poison.connection.status === 'collecting', 'it is taken up');
  await ended([poison]);
  expect([again.exitCode, again.signalCode]).toEqual([null, null]);
});
