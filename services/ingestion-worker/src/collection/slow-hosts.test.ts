import { waitUntil } from '@tributary/test-environment';
import { FakeHealthSystem, tokens } from '../../test/fake-health-system';
import { type Suite, ended, startSuite } from '../../test/suite';
import { jobOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

const responseMemoryBytes = 1_000_000;

let suite: Suite;
let worker: RunningWorker;
let slow: FakeHealthSystem;

beforeAll(async () => {
  // Endless Observations: fast until they have filled the share of a host, then a byte every 5 ms.
  slow = await FakeHealthSystem.start((response) => {
    response.writeHead(200, { 'Content-Type': 'application/fhir+json' });
    response.write('{"resourceType":"Bundle","type":"searchset","entry":[');
    let sent = 0;
    const trickle = setInterval(() => {
      if (sent < 4 * responseMemoryBytes) response.write(' '.repeat(50_000));
      else response.write(' ');
      sent += 50_000;
    }, 5);
    response.once('close', () => clearInterval(trickle));
  });
  suite = await startSuite({ responseMemoryBytes, collectionsAtOnce: 16 });
  worker = await startWorker(suite.workerSettings);
});

afterAll(async () => {
  await worker?.stop();
  await slow?.stop();
  await suite?.stop();
});

it('collects from other hosts while one sends endless responses that exceed the memory budget', async () => {
  const { userManagement, queue, fhirStore } = suite;
  const stuck = Array.from({ length: 4 }, () => userManagement.hold(slow.base, tokens));
  await queue.add(...stuck.map(jobOf));
  await waitUntil(() => worker.responseMemory.heldBytes > responseMemoryBytes, 'the slow host fills the memory');
  const held = await Promise.all(
    Array.from({ length: 6 }, (_x, host) => userManagement.connect('load-120', undefined, 'r4', host)),
  );
  await queue.add(...held.map(jobOf));
  await ended(held);
  expect(
    held.map(({ connection }) => [connection.status, fhirStore.resourcesOf(connection.service_user_id).size]),
  ).toEqual(held.map(() => ['active', 120]));
  expect(stuck.map(({ connection }) => connection.status)).toEqual(stuck.map(() => 'collecting'));
  expect(slow.open).toBeGreaterThan(0);
});
