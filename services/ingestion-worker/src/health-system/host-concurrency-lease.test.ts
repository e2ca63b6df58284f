import { setMaxListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { type RedisClient, createLog, openRedis, untilReady } from '@tributary/service-kit';
import { testRedis, waitUntil } from '@tributary/test-environment';
import { HostLeaseStore } from './host-lease-store';
import { HostRequestLimiter } from './host-request-limiter';

const perHost = 6;
const leaseMs = 600_000;
const { signal } = new AbortController();
setMaxListeners(0, signal);
const log = createLog('test', 'silent');

const { url, prefix } = testRedis();
let hosts = 0;
let redises: RedisClient[] = [];

/** A host that records its concurrent requests, and those of each worker. */
class Host {
  readonly name = `${prefix}${++hosts}.example`;
  open = 0;
  most = 0;
  readonly byWorker = new Map<string, number>();
  readonly #held = new Map<string, (() => void)[]>();

  request(worker: string): () => Promise<void> {
    return this.#answering(worker, () => setImmediate());
  }

  /** A request that is answered when the host has as many of them as the cap allows. */
  requestUntilFull(worker: string): () => Promise<void> {
    return this.#answering(worker, () => waitUntil(() => this.most >= perHost, 'the cap is used'));
  }

  /** A request that is answered by `answerHeld`. */
  heldRequest(worker: string): () => Promise<void> {
    const held = this.#held.get(worker) ?? [];
    this.#held.set(worker, held);
    return this.#answering(worker, () => new Promise<void>((resolve) => held.push(resolve)));
  }

  /** The number of open requests of a worker that are held. */
  held(worker: string): number {
    return this.#held.get(worker)?.length ?? 0;
  }

  answerHeld(worker: string): void {
    this.#held.get(worker)?.shift()?.();
  }

  served(worker: string): number {
    return this.byWorker.get(worker) ?? 0;
  }

  #answering(worker: string, answer: () => Promise<unknown>): () => Promise<void> {
    return async () => {
      this.most = Math.max(this.most, ++this.open);
      this.byWorker.set(worker, this.served(worker) + 1);
      await answer();
      this.open--;
    };
  }
}

async function openOne(): Promise<RedisClient> {
  const redis = openRedis(url, log);
  redises.push(redis);
  await untilReady(redis);
  return redis;
}

/** The limiter of another worker. Its leases do not expire during a test. */
async function worker(): Promise<HostRequestLimiter> {
  return new HostRequestLimiter({ perHost, overall: 100 }, new HostLeaseStore(await openOne(), leaseMs, leaseMs));
}

/** Makes requests of one connection, one after the other, until the test is over. */
async function busy(
  limiter: HostRequestLimiter,
  host: Host,
  name: string,
  connection: string,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) await limiter.run(host.name, connection, signal, host.request(name));
}

afterEach(async () => {
  await Promise.all(redises.map((redis) => redis.disconnect()));
  redises = [];
});

it('limits the requests of a host over all workers, and gives each worker a share', async () => {
  const host = new Host();
  const workers = await Promise.all([worker(), worker(), worker()]);
  const isOver = (): boolean => host.most >= perHost && ['0', '1', '2'].every((index) => host.served(index) > 20);
  await Promise.all(
    workers.flatMap((limiter, index) =>
      Array.from({ length: 20 }, (_x, connection) => busy(limiter, host, `${index}`, `${connection}`, isOver)),
    ),
  );
  expect(host.most).toBe(perHost);
  await Promise.all(workers.map((limiter) => limiter.close()));
});

it('divides the cap by connections: the worker with more connections gets more', async () => {
  const host = new Host();
  const [few, many] = await Promise.all([worker(), worker()]);
  let isOver = false;
  const requests = (limiter: HostRequestLimiter, name: string, connections: number): Promise<void>[] =>
    Array.from({ length: connections * 6 }, async (_x, index) => {
      const request = (): Promise<void> => (isOver ? Promise.resolve() : host.heldRequest(name)());
      while (!isOver) await limiter.run(host.name, `${index % connections}`, signal, request);
    });
  const ofFew = requests(few, 'few', 2);
  await waitUntil(() => host.held('few') === perHost, 'the one worker has the whole cap');
  const ofMany = requests(many, 'many', 40);
  // As its requests end, the worker gives back what exceeds its share.
  await waitUntil(() => {
    if (host.held('few') > 1) host.answerHeld('few');
    return host.held('few') === 1 && host.held('many') === 5;
  }, 'the cap is divided');
  expect(host.most).toBe(perHost);
  isOver = true;
  await waitUntil(() => {
    for (const name of ['few', 'many']) host.answerHeld(name);
    return host.open === 0;
  });
  await Promise.all([...ofFew, ...ofMany]);
  await Promise.all([few.close(), many.close()]);
});

it('serves every worker when there are more workers than requests', async () => {
  const host = new Host();
  const workers = await Promise.all(Array.from({ length: perHost + 2 }, () => worker()));
  const serving = new Set(workers.map((_limits, index) => `${index}`));
  const work = workers.map(async (limiter, index) => {
    // A served worker continues until every worker was served.
    while (serving.size > 0)
      await limiter.run(host.name, 'one', signal, host.request(`${index}`)).then(() => serving.delete(`${index}`));
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
      Array.from({ length: 30 }, (_x, index) =>
        limiter.run(host.name, `${index}`, signal, host.requestUntilFull(name)),
      ),
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
  const key = `{tributary}:requests:${host.name}`;
  const crashed = await worker();
  const hung = Array.from({ length: perHost }, (_x, index) =>
    crashed.run(host.name, `${index}`, signal, host.heldRequest('crashed')),
  );
  void Promise.allSettled(hung);
  await waitUntil(() => host.open === perHost, 'it has the whole cap');
  redises[0]?.disconnect();
  const successor = await worker();
  const redis = redises[1]!;
  const [[field = '', lease = ''] = []] = Object.entries(await redis.hgetall(key));
  const served = successor.run(host.name, 'one', signal, host.request('successor'));
  await waitUntil(async () => (await redis.hlen(key)) === 2, 'the successor has claimed a share');
  expect(host.served('successor')).toBe(0);
  // As if its lifetime had passed.
  await redis.hset(key, field, lease.replace(/\d+$/, '0'));
  await served;
});

it('continues with its share while Redis is unavailable, and after Redis has lost its data', async () => {
  const host = new Host();
  const key = `{tributary}:requests:${host.name}`;
  const realNow = Date.now;
  let passedMs = 0;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => realNow() + passedMs);
  const workers = await Promise.all([worker(), worker()]);
  const redis = await openOne();
  let isOver = false;
  const work = Promise.all(
    workers.flatMap((limiter, index) =>
      Array.from({ length: 12 }, (_x, connection) => busy(limiter, host, `${index}`, `${connection}`, () => isOver)),
    ),
  );
  const bothAreServed = async (): Promise<void> => {
    const before = ['0', '1'].map((index) => host.served(index));
    await waitUntil(
      () => ['0', '1'].every((index) => host.served(index) > (before[Number(index)] ?? 0) + 20),
      'both workers are served',
    );
  };
  /** Both have half of the cap, and know of each other: they have claimed it twice. */
  const bothHaveHalf = async (): Promise<void> => {
    const first: Record<string, string> = {};
    await waitUntil(async () => {
      const leases = Object.entries(await redis.hgetall(key)).filter(([, lease]) => lease.startsWith('3 '));
      if (leases.length < 2) return false;
      for (const [each, lease] of leases) first[each] ??= lease;
      return leases.every(([each, lease]) => lease !== first[each]);
    }, 'both workers have claimed half of the cap twice');
  };
  await bothHaveHalf();
  await redis.del(key);
  await bothHaveHalf();
  await bothAreServed();
  for (const each of redises) each.disconnect();
  passedMs = leaseMs + 1;
  await bothAreServed();
  // A connection that is replaced meanwhile connects by itself.
  await waitUntil(async () => {
    await Promise.all(redises.map((each) => (each.status === 'end' ? each.connect() : undefined)));
    return redises.every(({ status }) => status === 'ready');
  }, 'Redis is available again');
  await bothHaveHalf();
  await bothAreServed();
  isOver = true;
  await work;
  clock.mockRestore();
  expect(host.most).toBeLessThanOrEqual(perHost);
});

it('lowers the cap of a host that has throttled another worker', async () => {
  const host = new Host();
  const [one, other] = await Promise.all([worker(), worker()]);
  let isOver = false;
  const work = [one, other].flatMap((limiter, index) =>
    Array.from({ length: 6 }, (_x, connection) => busy(limiter, host, `${index}`, `${connection}`, () => isOver)),
  );
  /** The maximum of concurrent requests during the next ones. */
  const mostOfNext = async (requests: number): Promise<number> => {
    const before = host.served('0') + host.served('1');
    host.most = 0;
    await waitUntil(() => host.served('0') + host.served('1') >= before + requests, 'requests are served');
    return host.most;
  };
  expect(await mostOfNext(30)).toBeGreaterThan(1);
  for (let time = 0; time < 2; time++) one.reportThrottled(host.name);
  // The cap spreads with the next heartbeats of both.
  while ((await mostOfNext(30)) > 1);
  expect(await mostOfNext(100)).toBe(1);
  isOver = true;
  await Promise.all(work);
});
