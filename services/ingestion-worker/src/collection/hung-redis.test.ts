import { type TcpProxy, startTcpProxy } from '@tributary/test-environment';
import { sourceRecord } from '../../test/source-record';
import { type Suite, ended, startSuite } from '../../test/suite';
import { jobOf } from '../../test/fake-user-management';
import { within } from '../../test/within';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

let suite: Suite;
let proxy: TcpProxy;
let worker: RunningWorker;

beforeAll(async () => {
  suite = await startSuite({ lockMs: 2000 });
  proxy = await startTcpProxy(suite.workerSettings.redisUrl);
  worker = await startWorker({ ...suite.workerSettings, redisUrl: proxy.url });
});

afterAll(async () => {
  proxy?.resume();
  await worker?.stop();
  await proxy?.close();
  await suite?.stop();
});

it('is not ready while Redis hangs, aborts its attempts, and completes them when Redis is back', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const source = await sourceRecord(sandbox, 'load-400', 'r4');
  const held = await userManagement.connect('load-400', 'slow', 'r4', 1);
  await queue.add(jobOf(held));
  await within(
    300_000,
    'the first resources are stored',
    () => fhirStore.resourcesOf(held.connection.service_user_id).size > 0,
  );
  await worker.check();
  proxy.hang();
  await expect(worker.check()).rejects.toThrow();
  // No lock is renewed: the collection stops, unless it was so quick that it has ended.
  await within(
    300_000,
    'nothing is in progress',
    async () =>
      held.connection.status !== 'collecting' ||
      (await worker.attempts.history(held.connection.connection_id, held.connection.collection_id)).crashes === 0,
  );
  proxy.resume();
  await ended([held]);
  expect([held.connection.status, fhirStore.resourcesOf(held.connection.service_user_id).size]).toEqual([
    'active',
    source.size,
  ]);
  expect(
    [...fhirStore.record(held.connection.service_user_id).resources.values()].filter(({ version }) => version > 1),
  ).toEqual([]);
  await within(300_000, 'the worker is ready again', () =>
    worker.check().then(
      () => true,
      () => false,
    ),
  );
});
