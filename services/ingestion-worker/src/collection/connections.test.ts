import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { KillableWorkers, terminate } from '../../test/killable-worker';
import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf } from '../../test/fake-user-management';

jest.setTimeout(900_000);

/** All of 500 take a minute: TRIBUTARY_CONNECTIONS=500. */
const connections = Number(process.env['TRIBUTARY_CONNECTIONS'] ?? 60);
const hosts = 10;
const perHost = 6;
const ofHost = Math.ceil(connections / hosts);
/**
 * Here requests are answered at once, elsewhere they take a quarter of a second; its connections are the last in the
 * queue.
 */
const quickHost = hosts - 1;

let suite: Suite;
let workers: KillableWorkers;

beforeAll(async () => {
  suite = await startSuite({ collectionsAtOnce: Math.ceil(connections / 2), caps: { perHost, overall: 32 } });
  workers = new KillableWorkers(suite.workerSettings);
});

afterAll(async () => {
  await workers?.stop();
  await suite?.stop();
});

const sizeOf = ({ username }: TestConnection): number => Number(username.split('-')[1]);

it(`collects ${connections} connections at ten hosts with two workers: caps hold over both, nobody starves, all end exact`, async () => {
  const { sandbox, userManagement, fhirStore, queue, workerSettings } = suite;
  const held: TestConnection[] = [];
  for (let host = 0; host < hosts; host++) {
    const connect = (index: number): Promise<TestConnection> =>
      userManagement.connect(`load-${24 + (index % 9)}`, host === quickHost ? undefined : 'slow', 'r4', host);
    held.push(...(await Promise.all(Array.from({ length: ofHost }, (_x, index) => connect(index)))));
  }
  const pair = [await workers.start(), await workers.start()];
  await sandbox.forgetSeen();
  const from = Date.now();
  await queue.add(...held.map(jobOf));
  const watched = watch(
    workerSettings.redisUrl,
    Array.from({ length: hosts }, (_x, host) => new URL(sandbox.origin(host)).host),
    pair.map(({ pid }) => pid ?? 0),
  );
  await ended(held);
  const { workersSeen, mostMegabytes } = await watched.stop();
  await Promise.all(pair.map(terminate));

  expect(
    held
      .filter(
        (each) =>
          each.connection.status !== 'active' ||
          fhirStore.resourcesOf(each.connection.service_user_id).size !== sizeOf(each),
      )
      .map(({ reports }) => reports.at(-1)),
  ).toEqual([]);
  expect(
    held.flatMap(({ connection }) =>
      [...fhirStore.record(connection.service_user_id).resources.values()].filter(({ version }) => version > 1),
    ),
  ).toEqual([]);
  const most = await Promise.all(Array.from({ length: hosts }, (_x, host) => sandbox.maxConcurrentRequests(host)));
  expect(Math.max(...most)).toBeLessThanOrEqual(perHost);
  expect(workersSeen).toBe(2);

  const times = Array.from({ length: hosts }, (_x, host) =>
    held.slice(host * ofHost, (host + 1) * ofHost).map(({ endedAt = Infinity }) => endedAt - from),
  );
  if (process.env['TRIBUTARY_CONNECTIONS']) {
    const seconds = (ms: number): string => (ms / 1000).toFixed(1);
    const lines = times.map(
      (own, host) =>
        `host ${host}${host === quickHost ? ' (quick)' : ''}: most at once ${most[host]}, first ended after ${seconds(Math.min(...own))} s, last after ${seconds(Math.max(...own))} s`,
    );
    const overtaken = times.map((own) =>
      Math.max(...own.map((time, position) => own.slice(position + 1).filter((later) => later < time).length)),
    );
    process.stdout.write(
      `${held.length} connections in ${seconds(Math.max(...times.flat()))} s; the workers' memory at most ${mostMegabytes.join(' and ')} MB; a connection was overtaken by at most ${Math.max(...overtaken)} of its host's ${ofHost}\n${lines.join('\n')}\n`,
    );
  }

  // A quick host is not held up by slow ones, though all of their connections came before it.
  expect(Math.min(...(times[quickHost] ?? []))).toBeLessThan(Math.max(...times.slice(0, quickHost).flat()));
});

/** Looks how many workers have requests for hosts, and how much memory they take, until it is stopped. */
function watch(
  redisUrl: string,
  hostNames: string[],
  pids: number[],
): { stop(): Promise<{ workersSeen: number; mostMegabytes: number[] }> } {
  const redis = new Redis(redisUrl);
  const seen = new Set<string>();
  const mostMegabytes = pids.map(() => 0);
  const look = async (): Promise<void> => {
    for (const host of hostNames)
      for (const worker of await redis.hkeys(`{tributary}:requests:${host}`)) seen.add(worker);
    pids.forEach((pid, index) => {
      mostMegabytes[index] = Math.max(mostMegabytes[index] ?? 0, residentMegabytes(pid));
    });
  };
  let looking = look();
  const timer = setInterval(() => (looking = looking.then(look)), 100);
  return {
    stop: async () => {
      clearInterval(timer);
      await looking;
      await redis.quit();
      return { workersSeen: seen.size, mostMegabytes };
    },
  };
}

/** 0 on systems without /proc. */
function residentMegabytes(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
