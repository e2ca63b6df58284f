import { Redis } from 'ioredis';
import { StandInHealthSystem, json, searchset, tokens } from '../stand-ins/health-system.fixture';
import { type Suite, ended, startSuite } from '../stand-ins/suite.fixture';
import { jobOf } from '../stand-ins/user-management.fixture';
import { within } from '../stand-ins/within.fixture';
import { type RunningWorker, startWorker } from '../stand-ins/worker.fixture';

jest.setTimeout(900_000);

const pages = 200;

let suite: Suite;
let redis: Redis;
let paged: StandInHealthSystem;
const running: RunningWorker[] = [];

beforeAll(async () => {
  suite = await startSuite(11, { lockMs: 1500 });
  redis = new Redis(suite.place.redisUrl);
  paged = await StandInHealthSystem.start((response, path) => {
    const page = Number(new URL(path, 'http://x').searchParams.get('page') ?? 0);
    const next = page + 1 < pages ? `${paged.base}/Observation?patient=p1&page=${page + 1}` : undefined;
    setTimeout(
      () => json(response, searchset([{ resourceType: 'Observation', id: `o${page}`, status: 'final' }], next)),
      25,
    );
  });
});

afterAll(async () => {
  await Promise.all(running.map((worker) => worker.stop()));
  await paged?.stop();
  await suite?.stop();
  redis?.disconnect();
});

it('stops a collection whose lock is lost, and lets another worker end it', async () => {
  const { userManagement, fhirStore, queue, place } = suite;
  const held = userManagement.hold(paged.base, tokens);
  const size = (): number => fhirStore.texts(held.connection.service_user_id).size;
  running.push(await startWorker(place));
  await queue.add(jobOf(held));
  await within(300_000, 'the first pages are stored', () => size() > 5);
  running.push(await startWorker(place));
  const lock = `{tributary}:collection:${held.connection.collection_id}:lock`;
  for (let time = 0; time < 3 && held.connection.status === 'collecting'; time++) {
    const before = size();
    expect(await redis.del(lock)).toBe(1);
    await within(
      300_000,
      'some worker has the job again',
      async () => held.connection.status !== 'collecting' || (size() > before && (await redis.exists(lock)) === 1),
    );
  }
  await ended([held]);
  expect([held.connection.status, size()]).toEqual(['active', pages + 1]);
  expect(held.reports.filter(({ state }) => state === 'completed')).toHaveLength(1);
  expect(
    [...fhirStore.record(held.connection.service_user_id).resources.values()].filter(({ version }) => version > 1),
  ).toEqual([]);
  // Each time the two overlap until the first one finds out: a page on its way, and the one ahead. A whole second collection would double it.
  expect(paged.asked).toBeLessThan(pages * 1.5);
});
