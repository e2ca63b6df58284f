import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

const hosts = 10;
const perHost = 6;
const connectionsPerHost = 8;
/** Here requests stay open for a while, so that there is something to cap. */
const slowHost = 3;

let suite: Suite;
let worker: RunningWorker;

beforeAll(async () => {
  suite = await startSuite({ caps: { perHost, overall: 32 } });
});

afterAll(async () => {
  await worker?.stop();
  await suite?.stop();
});

const sizeOf = ({ username }: TestConnection): number => Number(username.split('-')[1]);

it('respects the cap of each host, starves no connection, and stores exact records', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  // One person for each host, so that what the sandbox sees of the person is what it sees of the host.
  const held: TestConnection[] = [];
  for (let host = 0; host < hosts; host++) {
    for (let index = 0; index < connectionsPerHost; index++)
      held.push(await userManagement.connect(`load-${60 + host}`, host === slowHost ? 'slow' : undefined, 'r4', host));
  }
  const large = await userManagement.connect('load-5000', 'page-size-10', 'r4', 0);
  worker = await startWorker(suite.workerSettings);
  // The large record and everything else of its host are queued first.
  await queue.add(jobOf(large), ...held.map(jobOf));
  await ended([large, ...held]);

  const ofHost = held.filter(({ host }) => host === 0);
  expect(large.endedAt).toBeGreaterThan(Math.max(...ofHost.map(({ endedAt = Infinity }) => endedAt)));
  expect(
    [...held, large]
      .filter(
        (each) =>
          each.connection.status !== 'active' ||
          fhirStore.resourcesOf(each.connection.service_user_id).size !== sizeOf(each),
      )
      .map(({ reports }) => reports.at(-1)),
  ).toEqual([]);
  for (let host = 0; host < hosts; host++)
    expect((await sandbox.seen(`load-${60 + host}`)).mostAtOnce).toBeLessThanOrEqual(perHost);
  expect((await sandbox.seen('load-5000')).mostAtOnce).toBeLessThanOrEqual(perHost);
  expect(fhirStore.largestBatch).toBeLessThanOrEqual(500);
});
