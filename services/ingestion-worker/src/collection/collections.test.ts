import { Client } from 'pg';
import { waitUntil } from '@tributary/test-environment';
import { sourceRecord } from '../../test/source-record';
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

const storedOf = ({ connection }: TestConnection): number =>
  suite.fhirStore.resourcesOf(connection.service_user_id).size;

async function collected(held: TestConnection): Promise<TestConnection> {
  await suite.queue.add(jobOf(held));
  await ended([held]);
  return held;
}

async function collectedAgain(held: TestConnection): Promise<TestConnection> {
  await suite.sandbox.forgetSeen();
  await suite.queue.add(suite.userManagement.collectAgain(held));
  await ended([held]);
  return held;
}

it('reports the planned types from the first report on, and never fewer finished ones', async () => {
  const { reports } = await collected(await suite.userManagement.connect('person-205', undefined, 'r4', 2));
  const planned = reports.map(({ types }) => types.filter(({ read }) => read !== 'references'));
  expect(planned.length).toBeGreaterThan(1);
  expect(planned[0]!.length).toBeGreaterThan(5);
  expect(new Set(planned.map((types) => types.map(({ type }) => type).join())).size).toBe(1);
  const finished = planned.map((types) => types.filter(({ done }) => done).length);
  expect(finished).toEqual(finished.toSorted((one, other) => one - other));
  expect(finished.at(-1)).toBe(planned[0]!.length);
});

it('collects in its first attempt from a health system whose CapabilityStatement is broken', async () => {
  const { reports } = await collected(await suite.userManagement.connect('brief-1', 'metadata-broken', 'r4', 2));
  expect(reports.map(({ state }) => state)).not.toContain('failed');
  expect(reports.at(-1)).toMatchObject({
    state: 'completed',
    types: expect.arrayContaining([expect.objectContaining({ type: 'Observation', outcome: 'complete' })]),
  });
});

it('collects the types that the user has consented to, although all are granted', async () => {
  const { userManagement, fhirStore } = suite;
  const whole = await collected(await userManagement.connect('person-205', undefined, 'r4', 2));
  const narrow = await userManagement.connect('person-205', undefined, 'r4', 2);
  narrow.connection.consented_types = ['Observation', 'Patient'];
  await collected(narrow);
  const stored = ({ connection }: TestConnection): string[] =>
    [...fhirStore.resourcesOf(connection.service_user_id).keys()].sort();
  const expected = stored(whole).filter((key) => /^(Observation|Patient)\//.test(key));
  expect(expected.length).toBeGreaterThan(1);
  expect(stored(whole).length).toBeGreaterThan(expected.length);
  expect(stored(narrow)).toEqual(expected);
  expect(narrow.connection.granted_scope).toContain('patient/*.');
  expect(narrow.connection.status).toBe('active');
  for (const type of ['Condition', 'Practitioner', 'Binary'])
    expect(progressOf(narrow, type)).toMatchObject({
      fetched: 0,
      outcome: 'not_offered',
      warnings: [{ code: 'not_requested' }],
    });

  // After a narrower consent, what was collected before stays as it is.
  whole.connection.consented_types = ['Observation', 'Patient'];
  const before = stored(whole);
  await suite.queue.add(userManagement.collectAgain(whole, true));
  await ended([whole]);
  expect([whole.connection.status, stored(whole)]).toEqual(['active', before]);
  for (const type of ['Condition', 'Practitioner'])
    expect(progressOf(whole, type)).toMatchObject({ fetched: 0, deleted: 0, outcome: 'not_offered' });
});

it('stores nothing of an attempt whose consent was replaced by a narrower one', async () => {
  const { userManagement, fhirStore, queue } = suite;
  const held = await userManagement.connect('person-205', undefined, 'r4', 2);
  let isReplaced = false;
  userManagement.onStore = (storing) => {
    if (storing !== held || isReplaced) return;
    isReplaced = true;
    held.connection.consented_types = ['Patient'];
    void queue.add(userManagement.collectAgain(held, true));
  };
  await collected(held);
  expect(isReplaced).toBe(true);
  const keys = [...fhirStore.resourcesOf(held.connection.service_user_id).keys()];
  expect(keys.map((key) => key.split('/')[0])).toEqual(['Patient']);
});

describe('a second collection', () => {
  const observation = (id: string, patient: string, value: number): object => ({
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { text: 'Weight' },
    subject: { reference: `Patient/${patient}` },
    valueQuantity: { value, unit: 'kg' },
  });

  async function withChange(username: string, scenario: string | undefined, host: number): Promise<TestConnection> {
    const { sandbox, userManagement, fhirStore } = suite;
    const held = await collected(await userManagement.connect(username, scenario, 'r4', host));
    const record = fhirStore.record(held.connection.service_user_id).resources;
    const [key, { json }] = [...record].find(([name]) => name.startsWith('Condition/')) ?? ['', { json: '{}' }];
    const { meta: _meta, ...condition } = JSON.parse(json) as Record<string, unknown>;
    await sandbox.change(username, 'r4', { ...condition, recordedDate: '2026-01-02' });
    await sandbox.change(username, 'r4', observation('new-1', held.connection.patient_id, 61.5));
    await collectedAgain(held);
    expect(held.connection.status).toBe('active');
    expect(record.get('Observation/new-1')?.version).toBe(1);
    expect(record.get(key)?.version).toBe(2);
    expect([...record.values()].filter(({ version }) => version > 1)).toHaveLength(1);
    return held;
  }

  it('requests changes only', async () => {
    const held = await withChange('person-201', undefined, 1);
    expect(
      [progressOf(held, 'Condition'), progressOf(held, 'Observation')].map((progress) => [
        progress?.read,
        progress?.fetched,
        progress?.stored,
        progress?.created,
      ]),
    ).toEqual([
      ['changes', 1, 1, 0],
      ['changes', 1, 1, 1],
    ]);
    expect(progressOf(held, 'Encounter')?.fetched).toBe(0);
  });

  it('finds changes where the server ignores the date', async () => {
    const held = await withChange('person-202', 'last-updated-ignored', 2);
    expect(progressOf(held, 'Observation')?.unchanged).toBeGreaterThan(20);
    expect(progressOf(held, 'Observation')?.stored).toBe(1);
  });

  it('searches without the date where it is refused', async () => {
    const held = await withChange('person-203', 'last-updated-refused', 3);
    expect(progressOf(held, 'Observation')?.stored).toBe(1);
    const offered = held.reports.at(-1)?.types.filter(({ outcome }) => outcome !== 'not_offered');
    expect(offered?.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it('requests a type in full that was refused the first time', async () => {
    const held = await collected(await suite.userManagement.connect('person-204', 'type-forbidden', 'r4', 4));
    const fresh = await suite.sandbox.signIn('person-204', 'r4', 4);
    Object.assign(held, { tokens: fresh, tokenId: 'fresh' });
    await collectedAgain(held);
    const source = await sourceRecord(suite.sandbox, 'person-204', 'r4');
    expect([...suite.fhirStore.resourcesOf(held.connection.service_user_id).keys()].sort()).toEqual(
      [...source.keys()].sort(),
    );
    expect(progressOf(held, 'Condition')?.fetched).toBeGreaterThan(1);
    expect(progressOf(held, 'Encounter')?.fetched).toBe(0);
  });

  it('stores no new version of attachments that differ at each read', async () => {
    const held = await collectedAgain(
      await collected(await suite.userManagement.connect('person-205', 'attachments-regenerated', 'r4', 5)),
    );
    expect(held.connection.status).toBe('active');
    expect((await suite.sandbox.seen('person-205')).requests['read Binary']).toBeUndefined();
  });
});

it('counts what was created although the response of fhir-store was lost', async () => {
  const held = await suite.userManagement.connect('person-214', 'page-size-10', 'r4', 14);
  let batches = 0;
  suite.fhirStore.interrupt = (what) => what === 'batches' && ++batches % 3 === 0 && batches < 20;
  await collected(held);
  suite.fhirStore.interrupt = () => false;
  expect([held.connection.status, batches > 6]).toEqual(['active', true]);
  const keys = [...suite.fhirStore.resourcesOf(held.connection.service_user_id).keys()];
  for (const { type, read, created } of held.reports.at(-1)?.types ?? [])
    if (read !== 'references')
      expect([type, created]).toEqual([type, keys.filter((key) => key.startsWith(`${type}/`)).length]);
});

it('stops when a newer collection replaces it, or the connection is deleted', async () => {
  const { userManagement, fhirStore, queue } = suite;
  const replaced = await userManagement.connect('load-150', 'slow', 'r4', 8);
  const forgotten = await userManagement.connect('load-151', 'slow', 'r4', 9);
  await queue.add(jobOf(replaced), jobOf(forgotten));
  const sizes = (): number[] =>
    [replaced, forgotten].map(({ connection }) => fhirStore.resourcesOf(connection.service_user_id).size);
  await waitUntil(() => sizes().every((size) => size > 0), 'both have begun');
  userManagement.held.delete(forgotten.connection.connection_id);
  const newer = userManagement.collectAgain(replaced);
  await waitUntil(() => queue.isEmpty(), 'both jobs are done');
  expect(Math.max(...sizes())).toBeLessThan(150);
  await queue.add(newer);
  await ended([replaced]);
  expect(replaced.connection.status).toBe('active');
});

it('collects once when a job is queued twice', async () => {
  const held = await suite.userManagement.connect('person-210', undefined, 'r4', 10);
  await suite.queue.add(jobOf(held), jobOf(held));
  await ended([held]);
  await suite.queue.add(jobOf(held));
  await waitUntil(() => suite.queue.isEmpty(), 'both jobs are done');
  expect(held.reports.filter(({ state }) => state === 'completed')).toHaveLength(1);
});

describe('a paused host', () => {
  let client: Client;
  beforeAll(async () => {
    client = new Client(suite.workerSettings.databaseUrl);
    await client.connect();
  });
  afterAll(() => client.end());

  const rowsOf = async (table: string, { connection }: TestConnection, condition = 'true'): Promise<number> => {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) FROM ingestion_worker.${table} WHERE collection_id = $1 AND ${condition}`,
      [connection.collection_id],
    );
    return Number(rows[0]?.count);
  };

  it('stops a collection under way when its host is paused, and continues from its checkpoints', async () => {
    const { userManagement, queue } = suite;
    const held = await userManagement.connect('load-150', 'slow');
    userManagement.onReport = (reporting, { state }) => {
      if (reporting === held && state === 'collecting') held.connection.is_paused = true;
    };
    await queue.add(jobOf(held));
    await waitUntil(async () => {
      return held.connection.is_paused === true && (await rowsOf('collection', held, 'unfinished_attempts = 0')) === 1;
    }, 'the attempt ends');
    expect(storedOf(held)).toBeLessThan(150);
    expect(await rowsOf('collection_checkpoint', held)).toBeGreaterThan(0);
    expect([held.connection.status, held.reports.filter(({ state }) => state !== 'collecting')]).toEqual([
      'collecting',
      [],
    ]);

    userManagement.onReport = () => undefined;
    delete held.connection.is_paused;
    await queue.add(jobOf(held));
    await ended([held]);
    expect([held.connection.status, storedOf(held) >= 150]).toEqual(['active', true]);
  });

  it('begins nothing at a paused host, and reports no failure', async () => {
    const { userManagement, fhirStore, queue } = suite;
    const held = await userManagement.connect('person-3', undefined);
    held.connection.is_paused = true;
    await queue.add(jobOf(held));
    // A later job of the same worker ends after the first was taken.
    const other = await userManagement.connect('person-3', undefined, 'r4', 1);
    await queue.add(jobOf(other));
    await ended([other]);
    expect([await rowsOf('collection', held), held.reports, held.connection.status]).toEqual([0, [], 'collecting']);
    expect(fhirStore.resourcesOf(held.connection.service_user_id).size).toBe(0);
  });
});
