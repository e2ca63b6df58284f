import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createLog, openRedis, untilReady } from '@tributary/service-kit';
import { testRedis } from '@tributary/test-environment';
import type { Redis } from 'ioredis';
import { HostLeaseStore } from './host-lease-store';
import { HostRequestLimiter } from './host-request-limiter';

const perHost = 6;
const { signal } = new AbortController();
setMaxListeners(0, signal);
const log = createLog('test', 'silent');

const { url, prefix } = testRedis();
let hosts = 0;
let redises: Redis[] = [];

/** A host that records its concurrent requests, and those of each worker. */
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

/** The limiter of another worker. */
async function worker(leaseMs?: number): Promise<HostRequestLimiter> {
  return new HostRequestLimiter({ perHost, overall: 100 }, new HostLeaseStore(await openOne(), leaseMs));
}

/** Makes requests of one connection, one after the other, until the test is over. */
async function busy(
  limiter: HostRequestLimiter,
  host: Host,
  name: string,
  connection: string,
  isOver: () => boolean,
  ms?: number,
): Promise<void> {
  while (!isOver()) await limiter.run(host.name, connection, signal, host.request(name, ms));
}

function after(ms: number): () => boolean {
  const until = Date.now() + ms;
  return () => Date.now() > until;
}

afterEach(async () => {
  await Promise.all(redises.map((redis) => redis.disconnect()));
  redises = [];
});

it('limits the requests of a host over all workers, and gives each worker a share', async () => {
  const host = new Host();
  const workers = await Promise.all([worker(), worker(), worker()]);
  const isOver = after(2000);
  await Promise.all(
    workers.flatMap((limiter, index) =>
      Array.from({ length: 20 }, (_x, connection) => busy(limiter, host, `${index}`, `${connection}`, isOver)),
    ),
  );
  expect(host.most).toBe(perHost);
  expect([...host.byWorker.keys()].sort()).toEqual(['0', '1', '2']);
  await Promise.all(workers.map((limiter) => limiter.close()));
});

it('divides the cap by connections: the worker with more connections gets more', async () => {
  const host = new Host();
  const [few, many] = await Promise.all([worker(), worker()]);
  const isOver = after(2500);
  const requests = (limiter: HostRequestLimiter, name: string, connections: number): Promise<void>[] =>
    Array.from({ length: connections * 6 }, (_x, index) => busy(limiter, host, name, `${index % connections}`, isOver));
  await Promise.all([...requests(few, 'few', 2), ...requests(many, 'many', 40)]);
  expect(host.most).toBe(perHost);
  expect(host.byWorker.get('many')).toBeGreaterThan(2 * (host.byWorker.get('few') ?? 0));
  expect(host.byWorker.get('few')).toBeGreaterThan(0);
  await Promise.all([few.close(), many.close()]);
});

it('serves every worker when there are more workers than requests', async () => {
  const host = new Host();
  const workers = await Promise.all(Array.from({ length: perHost + 2 }, () => worker()));
  const serving = new Set(workers.map((_limits, index) => `${index}`));
  const work = workers.map(async (limiter, index) => {
    // A served worker continues until every worker was served.
    while (serving.size > 0)
      await limiter.run(host.name, 'one', signal, host.request(`${index}`, 20)).then(() => serving.delete(`${index}`));
  });
  await Promise.all(work);
  expect(host.most).toBeLessThanOrEqual(perHost);
  expect(host.byWorker.size).toBe(perHost + 2);
  await Promise.all(workers.map((limiter) => limiter.close()));
});

it('gives a worker alone the whole cap, and the next one when the first has closed', async () => {
  const host = new Host();
  const [one, other] = await Promise.all([worker(), worker()]);
  const all = (limiter: HostRequestLimiter, name: string): Promise<void[]> =>
    Promise.all(
      Array.from({ length: 30 }, (_x, index) => limiter.run(host.name, `${index}`, signal, host.request(name))),
    );
  await all(one, 'one');
  expect(host.most).toBe(perHost);
  await one.close();
  host.most = 0;
  await all(other, 'other');
  expect(host.most).toBe(perHost);
});

it('grants the share of a crashed worker to another one once its lease has expired', async () => {
  const host = new Host();
  const crashed = await worker(1500);
  const hung = Array.from({ length: perHost }, (_x, index) =>
    crashed.run(host.name, `${index}`, signal, () => new Promise(() => undefined)),
  );
  void Promise.allSettled(hung);
  await pause(100);
  redises[0]?.disconnect();
  const successor = await worker(1500);
  const from = Date.now();
  await successor.run(host.name, 'one', signal, host.request('successor'));
  expect(Date.now() - from).toBeGreaterThan(300);
  expect(Date.now() - from).toBeLessThan(10_000);
});

it('continues with its share while Redis is unavailable, and after Redis has lost its data', async () => {
  const host = new Host();
  // Longer than a busy machine stops a process: a lease that expires in between goes to the other worker.
  const leaseMs = 5000;
  const workers = await Promise.all([worker(leaseMs), worker(leaseMs)]);
  let isOver = false;
  const work = Promise.all(
    workers.flatMap((limiter, index) =>
      Array.from({ length: 12 }, (_x, connection) => busy(limiter, host, `${index}`, `${connection}`, () => isOver)),
    ),
  );
  await pause(1500);
  const [first] = redises;
  await first?.del(`{tributary}:requests:${host.name}`);
  await pause(1000);
  for (const redis of redises) redis.disconnect();
  await pause(leaseMs + 400);
  const servedUntil = new Map(host.byWorker);
  await pause(400);
  for (const index of ['0', '1']) expect(host.byWorker.get(index)).toBeGreaterThan(servedUntil.get(index) ?? Infinity);
  await Promise.all(redises.map((redis) => redis.connect()));
  await pause(1000);
  isOver = true;
  await work;
  expect(host.most).toBeLessThanOrEqual(perHost);
});

it('lowers the cap of a host that has throttled another worker', async () => {
  const host = new Host();
  const [one, other] = await Promise.all([worker(), worker()]);
  let isOver = false;
  const work = [one, other].flatMap((limiter, index) =>
    Array.from({ length: 6 }, (_x, connection) => busy(limiter, host, `${index}`, `${connection}`, () => isOver, 20)),
  );
  await pause(300);
  for (let time = 0; time < 2; time++) one.reportThrottled(host.name);
  // The cap spreads with the next heartbeats of both.
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
