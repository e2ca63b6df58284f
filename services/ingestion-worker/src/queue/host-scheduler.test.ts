import { type RedisClient, createLog, openRedis, untilReady } from '@tributary/service-kit';
import { testRedis, waitUntil } from '@tributary/test-environment';
import { HostScheduler, isolatedHost } from './host-scheduler';

const { url, prefix } = testRedis();
const log = createLog('test', 'silent');
let schedulers = 0;
let redis: RedisClient;
let opened: HostScheduler[] = [];
let called: string[] = [];
let key: string;

beforeAll(async () => {
  redis = openRedis(url, log);
  await untilReady(redis);
});

beforeEach(() => {
  key = `${prefix}scheduler:${++schedulers}`;
  called = [];
});

afterEach(async () => {
  for (const scheduler of opened) await scheduler.close();
  opened = [];
});

afterAll(() => redis.disconnect());

function worker(slots: number, backoffMs = { first: 30_000, max: 60_000 }): HostScheduler {
  const scheduler = new HostScheduler(
    redis,
    { prefix: key, slots, permitMs: 60_000, renewalMs: 12_000, backoffMs },
    (id) => Promise.resolve(called.push(id) > 0),
  );
  opened.push(scheduler);
  return scheduler;
}

/** Requests permits for collections of a host. @returns how many were granted */
async function ask(scheduler: HostScheduler, host: string, from: number, to: number): Promise<number> {
  let granted = 0;
  for (let id = from; id < to; id++) if (await scheduler.acquire(host, `${host}${id}`, id)) granted++;
  return granted;
}

const until = (isSo: () => boolean): Promise<true> => waitUntil(isSo, 'the collections are called');

/** Makes every permit and every worker expire, as if their lifetime had passed. */
async function expireAll(): Promise<void> {
  for (const member of await redis.zrange(`${key}:running`, 0, -1)) await redis.zadd(`${key}:running`, 0, member);
  await redis.del(`${key}:workers`);
}

/** Any operation grants the permits that have become free. */
const operate = (scheduler: HostScheduler): Promise<void> => scheduler.release('nobody', 'none', 'unknown');

it('leaves slots to other hosts, however many collections a host has', async () => {
  const scheduler = worker(64);
  const granted = [];
  for (const host of ['a', 'b', 'c', 'd']) granted.push(await ask(scheduler, host, 0, 70));
  expect(granted).toEqual([32, 16, 8, 4]);
});

it('always grants a permit when nothing is in progress', async () => {
  const scheduler = worker(1);
  expect([await ask(scheduler, 'a', 0, 2), await ask(scheduler, 'b', 0, 1)]).toEqual([1, 0]);
});

it('promotes the host with the fewest permits first, and of its collections the one that was queued first', async () => {
  const scheduler = worker(8);
  expect([await ask(scheduler, 'a', 0, 4), await ask(scheduler, 'b', 0, 2), await ask(scheduler, 'c', 0, 2)]).toEqual([
    4, 2, 1,
  ]);
  for (const id of [20, 10]) expect(await scheduler.acquire('a', `a${id}`, id)).toBe(false);
  for (const id of [40, 30]) expect(await scheduler.acquire('b', `b${id}`, id)).toBe(false);
  await scheduler.release('a', 'a0', 'responded');
  expect(called).toEqual(['c1']);
  await scheduler.release('a', 'a1', 'responded');
  await scheduler.release('a', 'a2', 'responded');
  expect(called).toEqual(['c1', 'a10']);
});

it('shares the slots of all workers, and lets another worker run a waiting collection', async () => {
  const [one, other] = [worker(2), worker(2)];
  expect([await ask(one, 'a', 0, 3), await ask(other, 'a', 3, 5)]).toEqual([2, 0]);
  await one.release('a', 'a0', 'responded');
  expect(called).toEqual(['a2']);
  // A promoted collection has its permit, whichever worker takes its job.
  expect(await other.acquire('a', 'a2', 2)).toBe(true);
  expect(await other.acquire('a', 'a3', 3)).toBe(false);
});

it('backs off from an unreachable host, tries it with one collection, and resumes when it responds', async () => {
  const scheduler = worker(8);
  expect(await ask(scheduler, 'dead', 0, 10)).toBe(4);
  for (let id = 0; id < 4; id++) await scheduler.release('dead', `dead${id}`, 'unreachable');
  expect(called).toEqual([]);
  expect(await ask(scheduler, 'alive', 0, 1)).toBe(1);
  await scheduler.release('alive', 'alive0', 'responded');
  await operate(scheduler);
  expect(called).toEqual([]);
  // After the backoff, any operation promotes one collection.
  await redis.zadd(`${key}:backoff_until`, 0, 'dead');
  await operate(scheduler);
  expect(called).toEqual(['dead4']);
  await scheduler.release('dead', 'dead4', 'responded');
  expect(called).toEqual(['dead4', 'dead5', 'dead6', 'dead7', 'dead8']);
});

it('finds a host with a free permit behind any number of hosts without one', async () => {
  const scheduler = worker(1000, { first: 1, max: 1 });
  for (let host = 0; host < 120; host++) {
    await scheduler.acquire(`dead${host}`, `first${host}`, 0);
    await scheduler.release(`dead${host}`, `first${host}`, 'unreachable');
  }
  // One collection tries each of them, and another one waits.
  for (let host = 0; host < 120; host++)
    for (const id of ['try', 'wait']) await scheduler.acquire(`dead${host}`, `${id}${host}`, 1);
  expect(called).toEqual([]);
  const alive: string[] = [];
  for (let id = 0; id < 3; id++) if (await scheduler.acquire('alive', `alive${id}`, id)) alive.push(`alive${id}`);
  expect(alive).toEqual(['alive0', 'alive1', 'alive2']);
});

it('grants the permits of a crashed worker to another one', async () => {
  const connection = openRedis(url, log);
  await untilReady(connection);
  const gone = new HostScheduler(
    connection,
    { prefix: key, slots: 1, permitMs: 60_000, renewalMs: 12_000, backoffMs: { first: 1, max: 1 } },
    () => Promise.resolve(true),
  );
  expect(await ask(gone, 'a', 0, 1)).toBe(1);
  connection.disconnect();
  const heir = worker(1);
  expect(await heir.acquire('a', 'a9', 9)).toBe(false);
  await expireAll();
  await operate(heir);
  await until(() => called.includes('a9'));
  await gone.close();
});

it('promotes again when a promotion was lost', async () => {
  const scheduler = worker(2);
  expect(await ask(scheduler, 'a', 0, 2)).toBe(1);
  await scheduler.release('a', 'a0', 'responded');
  // No worker takes the job.
  for (let lost = 0; lost < 2; lost++) {
    await expireAll();
    await operate(scheduler);
  }
  expect(called).toEqual(['a1', 'a1', 'a1']);
  expect(await scheduler.acquire('a', 'a1', 1)).toBe(true);
});

it('drops a collection whose job is gone', async () => {
  const asked: string[] = [];
  const scheduler = new HostScheduler(
    redis,
    { prefix: key, slots: 2, permitMs: 60_000, renewalMs: 12_000, backoffMs: { first: 1, max: 1 } },
    (id) => Promise.resolve(asked.push(id) > 1),
  );
  opened.push(scheduler);
  expect(await ask(scheduler, 'a', 0, 3)).toBe(1);
  await scheduler.release('a', 'a0', 'responded');
  await until(() => asked.includes('a2'));
  await expireAll();
  await operate(scheduler);
  expect(asked).toEqual(['a1', 'a2', 'a2']);
});

it('runs one isolated collection per worker', async () => {
  const [one, other] = [worker(8), worker(8)];
  expect([await ask(one, isolatedHost, 0, 5), await ask(other, isolatedHost, 5, 10)]).toEqual([2, 0]);
});

it('costs nothing while collections wait', async () => {
  const intervals = jest.spyOn(globalThis, 'setInterval');
  const scheduler = worker(2);
  const [heartbeat] = intervals.mock.calls.at(-1) ?? [];
  intervals.mockRestore();
  expect(await ask(scheduler, 'a', 0, 1000)).toBe(1);
  const before = (await redis.keys(`${key}*`)).length;
  for (let beat = 0; beat < 3; beat++) heartbeat?.();
  // The commands of one connection are executed in order.
  expect((await redis.keys(`${key}*`)).length).toBe(before);
  expect(called).toEqual([]);
});
