import { type Suite, ended, startSuite } from '../../test/suite';
import { jobOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

const responseMemoryBytes = 3_000_000;
const connections = 12;
const resources = 60;

let suite: Suite;
let worker: RunningWorker;

beforeAll(async () => {
  suite = await startSuite({ responseMemoryBytes });
  worker = await startWorker(suite.workerSettings);
});

afterAll(async () => {
  await worker?.stop();
  await suite?.stop();
});

it('holds at most the memory budget and one page, however many collections have large pages', async () => {
  const { userManagement, fhirStore, queue } = suite;
  const held = await Promise.all(
    Array.from({ length: connections }, (_x, host) =>
      userManagement.connect(`load-${resources}`, 'heavy-pages', 'r4', host),
    ),
  );
  await queue.add(...held.map(jobOf));
  let most = 0;
  const watching = setInterval(() => (most = Math.max(most, worker.responseMemory.heldBytes)), 1);
  await ended(held);
  clearInterval(watching);
  expect(
    held.map(({ connection }) => [connection.status, fhirStore.resourcesOf(connection.service_user_id).size]),
  ).toEqual(held.map(() => ['active', resources]));
  const largest = largestPage([...fhirStore.resourcesOf(held[0]?.connection.service_user_id ?? 0).keys()]);
  // A page is expected to be a tenth larger than the one before it.
  expect(most).toBeLessThanOrEqual(responseMemoryBytes + 1.1 * largest);
  expect(worker.responseMemory.heldBytes).toBe(0);
});

/** Every resource is padded to 100 KB, and a page has all of its type. */
function largestPage(keys: string[]): number {
  const ofType = new Map<string, number>();
  for (const key of keys) ofType.set(key.split('/')[0] ?? '', (ofType.get(key.split('/')[0] ?? '') ?? 0) + 1);
  return Math.max(...ofType.values()) * 110_000;
}
