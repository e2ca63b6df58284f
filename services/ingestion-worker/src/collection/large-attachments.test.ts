import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf, progressOf } from '../../test/fake-user-management';
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

async function connected(username: string): Promise<TestConnection> {
  const held = await suite.userManagement.connect(username, 'attachments-huge');
  await suite.queue.add(jobOf(held));
  await ended([held]);
  return held;
}

async function collectedAgain(held: TestConnection): Promise<void> {
  await suite.queue.add(suite.userManagement.collectAgain(held, true));
  await ended([held]);
}

/** The versions of the stored attachments, by their keys. */
function attachmentsOf(held: TestConnection): [string, number][] {
  const { resources } = suite.fhirStore.record(held.connection.service_user_id);
  return [...resources].filter(([key]) => key.startsWith('Binary/')).map(([key, { version }]) => [key, version]);
}

describe('large attachments', () => {
  it('are reported while fhir-store does not take them', async () => {
    const { fhirStore } = suite;
    fhirStore.isContentRefused = true;
    const held = await connected('brief-1');
    expect(attachmentsOf(held)).toEqual([]);
    const { outcome, fetched, warnings } = progressOf(held, 'Binary') ?? {};
    expect([outcome, fetched]).toEqual(['partial', 0]);
    expect(warnings?.map(({ code }) => code)).toEqual(['attachment_too_large']);
    fhirStore.isContentRefused = false;
    await collectedAgain(held);
    const versions = attachmentsOf(held);
    expect(versions).not.toEqual([]);
    expect(progressOf(held, 'Binary')).toMatchObject({ outcome: 'complete', stored: versions.length, warnings: [] });
    await collectedAgain(held);
    expect(attachmentsOf(held)).toEqual(versions);
    expect(progressOf(held, 'Binary')).toMatchObject({ stored: 0, unchanged: versions.length, failed: 0 });
  });

  it('are counted once when the outcome of storing them is unknown', async () => {
    const { fhirStore } = suite;
    let interruptions = 0;
    fhirStore.interrupt = (what) => what === 'attachments' && interruptions++ === 0;
    const held = await connected('brief-2');
    const { length } = attachmentsOf(held);
    expect(interruptions).toBeGreaterThan(0);
    expect(progressOf(held, 'Binary')).toMatchObject({ fetched: length, stored: length, created: length });
    fhirStore.interrupt = () => false;
  });
});
