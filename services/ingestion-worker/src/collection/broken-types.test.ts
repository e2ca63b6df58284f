import { waitUntil } from '@tributary/test-environment';
import { GuardedHttp } from '@tributary/outbound';
import { type TestConnection, jobOf, progressOf } from '../../test/fake-user-management';
import { FakeHealthSystem, json, searchset, tokens } from '../../test/fake-health-system';
import { sourceRecord } from '../../test/source-record';
import { type Suite, ended, startSuite } from '../../test/suite';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

let suite: Suite;
let worker: RunningWorker;

beforeAll(async () => {
  suite = await startSuite();
  worker = await startWorker(suite.workerSettings);
});

afterAll(async () => {
  await worker?.stop();
  await suite?.stop();
});

const transientFailures = ({ reports }: TestConnection): number =>
  reports.filter(({ state, failure }) => state === 'failed' && failure === 'transient').length;

it('completes with a gap when one type never responds, and reads only this type in full the next time', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const source = await sourceRecord(sandbox, 'person-206', 'r4');
  const held = await userManagement.connect('person-206', 'type-timeout', 'r4', 1);
  // Only requests that never get a response are given up soon: this does not depend on the speed of the machine.
  let silentRequests = 0;
  const { stream } = GuardedHttp.prototype;
  const sent = jest.spyOn(GuardedHttp.prototype, 'stream').mockImplementation(function (this: GuardedHttp, request) {
    if (!request.url.includes('/Condition')) return stream.call(this, request);
    silentRequests++;
    return stream.call(this, { ...request, idleMs: 500 });
  });
  await queue.add(jobOf(held));
  await ended([held]);
  sent.mockRestore();
  const stored = fhirStore.resourcesOf(held.connection.service_user_id);
  expect([held.connection.status, progressOf(held, 'Condition')?.outcome]).toEqual(['active', 'failed']);
  expect(progressOf(held, 'Condition')?.warnings.map(({ code }) => code)).toEqual(['no_response']);
  expect([...source.keys()].filter((key) => !stored.has(key) && !key.startsWith('Condition/'))).toEqual([]);
  expect(transientFailures(held)).toBe(3);
  // Four attempts, of which each waits for two requests.
  expect(silentRequests).toBe(8);

  Object.assign(held, { tokens: await sandbox.signIn('person-206', 'r4', 1), tokenId: 'of a working health system' });
  await queue.add(userManagement.collectAgain(held));
  await ended([held]);
  expect([...fhirStore.resourcesOf(held.connection.service_user_id).keys()].sort()).toEqual([...source.keys()].sort());
  expect(progressOf(held, 'Condition')).toMatchObject({ read: 'full', outcome: 'complete' });
  expect(progressOf(held, 'Observation')).toMatchObject({ read: 'changes', fetched: 0 });
});

it('collects changes of the other types from a health system with one permanently broken type', async () => {
  const { sandbox, userManagement, fhirStore, queue } = suite;
  const held = await userManagement.connect('person-207', 'type-broken', 'r4', 2);
  await queue.add(jobOf(held));
  await ended([held]);
  expect(transientFailures(held)).toBe(1);
  const record = (): Map<string, string> => fhirStore.resourcesOf(held.connection.service_user_id);
  const [key = '', text = ''] = [...record()].find(([name]) => name.startsWith('Observation/')) ?? [];
  const { meta: _meta, ...observation } = JSON.parse(text) as { meta?: object };
  await sandbox.change('person-207', 'r4', { ...observation, status: 'amended' });

  await queue.add(userManagement.collectAgain(held));
  await ended([held]);
  expect(held.connection.status).toBe('active');
  expect(progressOf(held, 'Condition')).toMatchObject({ read: 'full', outcome: 'failed' });
  expect(progressOf(held, 'Observation')).toMatchObject({ read: 'changes', outcome: 'complete', fetched: 1 });
  expect(JSON.parse(record().get(key) ?? '{}')).toMatchObject({ status: 'amended' });
});

it('does not give up a type while no search is answered', async () => {
  const { userManagement, queue } = suite;
  let isBroken = true;
  const system = await FakeHealthSystem.start((response) => {
    if (isBroken) response.writeHead(500).end();
    else json(response, searchset([{ resourceType: 'Observation', id: 'o1', status: 'final' }]));
  });
  try {
    const held = userManagement.hold(system.base, tokens);
    await queue.add(jobOf(held));
    await waitUntil(() => transientFailures(held) > 8, 'many attempts have failed');
    expect(held.connection.status).toBe('collecting');
    expect(held.reports.at(-1)?.error?.code).toBe('health_system_unavailable');
    isBroken = false;
    await ended([held]);
    expect([held.connection.status, progressOf(held, 'Observation')?.outcome]).toEqual(['active', 'complete']);
  } finally {
    await system.stop();
  }
});
