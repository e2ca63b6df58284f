import { setTimeout as pause } from 'node:timers/promises';
import { collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { Queue } from 'bullmq';
import { FakeHealthSystem, tokens } from '../../test/fake-health-system';
import { type Suite, ended, startSuite } from '../../test/suite';
import { jobOf } from '../../test/fake-user-management';
import { within } from '../../test/within';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

const collectionsAtOnce = 8;
const waiting = 300;

let suite: Suite;
let hanging: FakeHealthSystem;
let queue: Queue;
const running: RunningWorker[] = [];

beforeAll(async () => {
  hanging = await FakeHealthSystem.start(() => undefined);
  suite = await startSuite(14, { collectionsAtOnce });
  queue = new Queue(collectionQueueName, {
    connection: { url: suite.workerSettings.redisUrl },
    prefix: collectionQueuePrefix,
  });
  running.push(await startWorker(suite.workerSettings), await startWorker(suite.workerSettings));
});

afterAll(async () => {
  await hanging?.stop();
  await Promise.all(running.map((worker) => worker.stop()));
  await queue?.close();
  await suite?.stop();
});

/** How often jobs were taken from the queue, and how many wait for their promotion. */
async function taken(): Promise<{ times: number; delayed: number }> {
  const jobs = await queue.getJobs(['delayed', 'active', 'waiting', 'prioritized']);
  return { times: jobs.reduce((sum, job) => sum + job.attemptsStarted, 0), delayed: await queue.getDelayedCount() };
}

it('does not touch waiting collections, and leaves slots to other hosts', async () => {
  const { userManagement, fhirStore } = suite;
  const stuck = Array.from({ length: waiting }, () => userManagement.hold(hanging.base, tokens));
  await suite.queue.add(...stuck.map(jobOf));
  await within(300_000, 'each was taken once', async () => (await taken()).delayed >= waiting - collectionsAtOnce);
  const before = await taken();
  // Many heartbeats of both workers; all jobs are queued again meanwhile.
  await pause(4000);
  expect(await taken()).toEqual(before);
  expect(before.times).toBe(waiting);
  const held = await Promise.all(
    Array.from({ length: 3 }, (_x, host) => userManagement.connect('load-120', undefined, 'r4', host)),
  );
  await suite.queue.add(...held.map(jobOf));
  await ended(held);
  expect(held.map(({ connection }) => fhirStore.resourcesOf(connection.service_user_id).size)).toEqual([120, 120, 120]);
  for (const { connection } of stuck) userManagement.held.delete(connection.connection_id);
});
