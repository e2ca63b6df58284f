import { type TcpProxy, startTcpProxy, waitUntil } from '@tributary/test-environment';
import { Redis } from 'ioredis';
import { sourceRecord } from '../../test/source-record';
import { type Suite, ended, startSuite } from '../../test/suite';
import { jobOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

let suite: Suite;
let proxy: TcpProxy;
let worker: RunningWorker;

beforeAll(async () => {
  suite = await startSuite();
  proxy = await startTcpProxy(suite.workerSettings.redisUrl);
  worker = await startWorker({ ...suite.workerSettings, redisUrl: proxy.url });
});

afterAll(async () => {
  proxy?.resume();
  await worker?.stop();
  await proxy?.close();
  await suite?.stop();
});

const isReady = (): Promise<boolean> =>
  worker.check().then(
    () => true,
    () => false,
  );

it('is not ready while Redis hangs, aborts its attempts, and completes them when Redis is back', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const source = await sourceRecord(sandbox, 'load-400', 'r4');
  const held = await userManagement.connect('load-400', 'slow', 'r4', 1);
  await queue.add(jobOf(held));
  await waitUntil(
    () => fhirStore.resourcesOf(held.connection.service_user_id).size > 0,
    'the first resources are stored',
  );
  await waitUntil(isReady);
  proxy.hang();
  await expect(worker.check()).rejects.toThrow();
  // The lifetime of the lock passes without renewal: the collection stops, unless it was so quick that it has ended.
  const { now } = Date;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + suite.workerSettings.lockMs);
  await waitUntil(
    async () =>
      held.connection.status !== 'collecting' ||
      (await worker.attempts.history(held.connection.connection_id, held.connection.collection_id)).crashes === 0,
    'nothing is in progress',
  );
  clock.mockRestore();
  // For Redis that time has not passed.
  const redis = new Redis(suite.workerSettings.redisUrl);
  await redis.del(`{tributary}:collection:${held.connection.collection_id}:lock`);
  await redis.quit();
  proxy.resume();
  await ended([held]);
  expect([held.connection.status, fhirStore.resourcesOf(held.connection.service_user_id).size]).toEqual([
    'active',
    source.size,
  ]);
  expect(
    [...fhirStore.record(held.connection.service_user_id).resources.values()].filter(({ version }) => version > 1),
  ).toEqual([]);
  await waitUntil(isReady);
});
