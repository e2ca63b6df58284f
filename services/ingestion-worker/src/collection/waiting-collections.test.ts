import { waitUntil } from '@tributary/test-environment';
import { collectionQueueName, collectionQueuePrefix } from '@tributary/contracts';
import { Queue } from 'bullmq';
import { FakeHealthSystem, tokens } from '../../test/fake-health-system';
import { type Suite, ended, startSuite } from '../../test/suite';
import { jobOf } from '../../test/fake-user-management';
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
  suite = await startSuite({ collectionsAtOnce });
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

it('does not touch waiting collections, and leaves slots to other hosts', async () => {
  const { userManagement, fhirStore } = suite;
  const stuck = Array.from({ length: waiting }, () => userManagement.hold(hanging.base, tokens));
  const isStuck = new Set(stuck.map(({ connection }) => connection.collection_id));
  /** How often their jobs were taken from the queue. */
  const taken = async (): Promise<number> =>
    (await queue.getJobs(['delayed', 'active', 'waiting', 'prioritized']))
      .filter(({ id }) => isStuck.has(id ?? ''))
      .reduce((sum, job) => sum + job.attemptsStarted, 0);
  await suite.queue.add(...stuck.map(jobOf));
  await waitUntil(
    async () => (await queue.getDelayedCount()) >= waiting - collectionsAtOnce,
    'each waits for its promotion',
  );
  expect(await taken()).toBe(waiting);
  // Meanwhile all jobs are queued again, and permits become free.
  const held = await Promise.all(
    Array.from({ length: 3 }, (_x, host) => userManagement.connect('load-120', undefined, 'r4', host)),
  );
  await suite.queue.add(...held.map(jobOf));
  await ended(held);
  expect(held.map(({ connection }) => fhirStore.resourcesOf(connection.service_user_id).size)).toEqual([120, 120, 120]);
  expect(await taken()).toBe(waiting);
  for (const { connection } of stuck) userManagement.held.delete(connection.connection_id);
});
