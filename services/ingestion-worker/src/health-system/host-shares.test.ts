import { setTimeout as pause } from 'node:timers/promises';
import { createLog, openRedis, untilReady } from '@tributary/service-kit';
import { testRedis } from '@tributary/test-environment';
import type { Redis } from 'ioredis';
import { RedisHostLeases } from './host-leases';
import { HostLimits } from './host-limits';

const perHost = 6;
const log = createLog('test', 'silent');

const { url, prefix } = testRedis();
let hosts = 0;
let redises: Redis[] = [];

/** A host that tells how many requests it has at once, and who sent them. */
class Host {
  readonly name = `${prefix}${++hosts}.example`;
  open = 0;
  most = 0;
  readonly byWorker = new Map<string, number>();

  request(worker: string, ms = 5): () => Promise<void> {
    return async () => {
      this.most = Math.max(this.most, ++this.open);
      this.byWorker.set(worker, (this.byWorker.get(worker) ?? 0) + 1);
      await pause(ms);
      this.open--;
    };
  }
}

async function openOne(): Promise<Redis> {
  const redis = openRedis(url, log);
  redises.push(redis);
  await untilReady(redis);
  return redis;
}

/** The limits of another worker process. */
async function worker(lastsMs?: number): Promise<HostLimits> {
  return new HostLimits({ perHost, overall: 100 }, new RedisHostLeases(await openOne(), lastsMs));
}

/** A connection makes requests one after the other until it is over. */
async function busy(
  limits: HostLimits,
  host: Host,
  name: string,
  connection: string,
  isOver: () => boolean,
  ms?: number,
): Promise<void> {
  while (!isOver()) await limits.run(host.name, connection, host.request(name, ms));
}

function after(ms: number): () => boolean {
  const until = Date.now() + ms;
  return () => Date.now() > until;
}

afterEach(async () => {
  await Promise.all(redises.map((redis) => redis.disconnect()));
  redises = [];
});

it('holds the cap of a host over all workers, and lets each have its part', async () => {
  const host = new Host();
  const workers = await Promise.all([worker(), worker(), worker()]);
  const isOver = after(2000);
  await Promise.all(
    workers.flatMap((limits, index) =>
      Array.from({ length: 20 }, (_x, connection) => busy(limits, host, `${index}`, `${connection}`, isOver)),
    ),
  );
  expect(host.most).toBe(perHost);
  expect([...host.byWorker.keys()].sort()).toEqual(['0', '1', '2']);
  await Promise.all(workers.map((limits) => limits.close()));
});

it('goes by connections: a worker with most of them gets most', async () => {
  const host = new Host();
  const [few, many] = await Promise.all([worker(), worker()]);
  const isOver = after(2500);
  const requests = (limits: HostLimits, name: string, connections: number): Promise<void>[] =>
    Array.from({ length: connections * 6 }, (_x, index) => busy(limits, host, name, `${index % connections}`, isOver));
  await Promise.all([...requests(few, 'few', 2), ...requests(many, 'many', 40)]);
  expect(host.most).toBe(perHost);
  expect(host.byWorker.get('many')).toBeGreaterThan(2 * (host.byWorker.get('few') ?? 0));
  expect(host.byWorker.get('few')).toBeGreaterThan(0);
  await Promise.all([few.close(), many.close()]);
});

it('lets more workers than requests take turns', async () => {
  const host = new Host();
  const workers = await Promise.all(Array.from({ length: perHost + 2 }, () => worker()));
  const serving = new Set(workers.map((_limits, index) => `${index}`));
  const work = workers.map(async (limits, index) => {
    // Who was served goes on until everyone was.
    while (serving.size > 0)
      await limits.run(host.name, 'one', host.request(`${index}`, 20)).then(() => serving.delete(`${index}`));
  });
  await Promise.all(work);
  expect(host.most).toBeLessThanOrEqual(perHost);
  expect(host.byWorker.size).toBe(perHost + 2);
  await Promise.all(workers.map((limits) => limits.close()));
});

it('has the whole cap for one worker alone, and again when the other is done', async () => {
  const host = new Host();
  const [one, other] = await Promise.all([worker(), worker()]);
  const all = (limits: HostLimits, name: string): Promise<void[]> =>
    Promise.all(Array.from({ length: 30 }, (_x, index) => limits.run(host.name, `${index}`, host.request(name))));
  await all(one, 'one');
  expect(host.most).toBe(perHost);
  await one.close();
  host.most = 0;
  await all(other, 'other');
  expect(host.most).toBe(perHost);
});

it('takes over what a worker held that is gone', async () => {
  const host = new Host();
  const crashed = await worker(1500);
  const hung = Array.from({ length: perHost }, (_x, index) =>
    crashed.run(host.name, `${index}`, () => new Promise(() => undefined)),
  );
  void Promise.allSettled(hung);
  await pause(100);
  redises[0]?.disconnect();
  const heir = await worker(1500);
  const from = Date.now();
  await heir.run(host.name, 'one', host.request('heir'));
  expect(Date.now() - from).toBeGreaterThan(300);
  expect(Date.now() - from).toBeLessThan(10_000);
});

it('goes on with its part while Redis is away, and after it has forgotten everything', async () => {
  const host = new Host();
  const workers = await Promise.all([worker(1200), worker(1200)]);
  const isOver = after(6000);
  const work = Promise.all(
    workers.flatMap((limits, index) =>
      Array.from({ length: 12 }, (_x, connection) => busy(limits, host, `${index}`, `${connection}`, isOver)),
    ),
  );
  await pause(1500);
  const [first] = redises;
  await first?.del(`{tributary}:requests:${host.name}`);
  await pause(1000);
  for (const redis of redises) redis.disconnect();
  await pause(1600);
  const servedUntil = new Map(host.byWorker);
  await pause(400);
  for (const index of ['0', '1']) expect(host.byWorker.get(index)).toBeGreaterThan(servedUntil.get(index) ?? Infinity);
  await Promise.all(redises.map((redis) => redis.connect()));
  await work;
  expect(host.most).toBeLessThanOrEqual(perHost);
});

it('asks less of a host that complained to another worker', async () => {
  const host = new Host();
  const [one, other] = await Promise.all([worker(), worker()]);
  let isOver = false;
  const work = [one, other].flatMap((limits, index) =>
    Array.from({ length: 6 }, (_x, connection) => busy(limits, host, `${index}`, `${connection}`, () => isOver, 20)),
  );
  await pause(300);
  for (let time = 0; time < 2; time++) one.complained(host.name);
  // It is told with the next beats of both.
  do {
    host.most = 0;
    await pause(300);
  } while (host.most > 1);
  host.most = 0;
  await pause(1000);
  expect(host.most).toBe(1);
  isOver = true;
  await Promise.all(work);
});
