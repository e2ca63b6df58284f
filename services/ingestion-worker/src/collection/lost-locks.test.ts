import { waitUntil } from '@tributary/test-environment';
import { Redis } from 'ioredis';
import { FakeHealthSystem, json, searchset, tokens } from '../../test/fake-health-system';
import { type Suite, ended, startSuite } from '../../test/suite';
import { jobOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

const pages = 200;

let suite: Suite;
let redis: Redis;
let paged: FakeHealthSystem;
/** The health system answers so many pages: the collection does not end before the test lets it. */
let allowedPages = 50;
let held: (() => void)[] = [];
function allow(more: number): void {
  allowedPages += more;
  for (const answer of held) answer();
  held = [];
}
const running: RunningWorker[] = [];

beforeAll(async () => {
  suite = await startSuite();
  redis = new Redis(suite.workerSettings.redisUrl);
  paged = await FakeHealthSystem.start((response, path) => {
    const page = Number(new URL(path, 'http://x').searchParams.get('page') ?? 0);
    const next = page + 1 < pages ? `${paged.base}/Observation?patient=p1&page=${page + 1}` : undefined;
    const answer = (): void =>
      json(response, searchset([{ resourceType: 'Observation', id: `o${page}`, status: 'final' }], next));
    if (page < allowedPages) answer();
    else held.push(answer);
  });
});

afterAll(async () => {
  await Promise.all(running.map((worker) => worker.stop()));
  await paged?.stop();
  await suite?.stop();
  redis?.disconnect();
});

it('aborts a collection whose lock is lost, and lets another worker complete it', async () => {
  const { userManagement, fhirStore, queue, workerSettings } = suite;
  const collected = userManagement.hold(paged.base, tokens);
  const size = (): number => fhirStore.resourcesOf(collected.connection.service_user_id).size;
  running.push(await startWorker(workerSettings));
  await queue.add(jobOf(collected));
  await waitUntil(() => size() > 5, 'the first pages are stored');
  running.push(await startWorker(workerSettings));
  const lock = `{tributary}:collection:${collected.connection.collection_id}:lock`;
  for (let time = 0; time < 3; time++) {
    const before = size();
    expect(await redis.del(lock)).toBe(1);
    allow(40);
    await waitUntil(async () => size() > before && (await redis.exists(lock)) === 1, 'some worker has the job again');
  }
  allow(pages);
  await ended([collected]);
  expect([collected.connection.status, size()]).toEqual(['active', pages + 1]);
  expect(collected.reports.filter(({ state }) => state === 'completed')).toHaveLength(1);
  expect(
    [...fhirStore.record(collected.connection.service_user_id).resources.values()].filter(({ version }) => version > 1),
  ).toEqual([]);
  // Each time the two overlap until the first one finds out: a page on its way, and the one ahead. A whole second
  // collection would double it.
  expect(paged.requests).toBeLessThan(pages * 2);
});
