import type { Resource } from '@tributary/fhir-json';
import { Client } from 'pg';
import { type Suite, ended, startSuite } from '../../test/suite';
import { type TestConnection, jobOf, progressOf } from '../../test/fake-user-management';
import { type RunningWorker, startWorker } from '../../test/worker';

jest.setTimeout(900_000);

let suite: Suite;
let worker: RunningWorker;
let hosts = 0;

beforeAll(async () => {
  suite = await startSuite();
  worker = await startWorker(suite.workerSettings);
});

afterAll(async () => {
  await worker?.stop();
  await suite?.stop();
});

async function connected(username: string, scenario?: string): Promise<TestConnection> {
  const held = await suite.userManagement.connect(username, scenario, 'r4', hosts++);
  await suite.queue.add(jobOf(held));
  await ended([held]);
  expect(held.connection.status).toBe('active');
  return held;
}

async function collectedAgain(held: TestConnection, isFull: boolean): Promise<void> {
  await suite.sandbox.forgetSeen();
  await suite.queue.add(suite.userManagement.collectAgain(held, isFull));
  await ended([held]);
  expect([held.connection.status, held.reports.at(-1)?.error]).toEqual(['active', undefined]);
}

const recordOf = (held: TestConnection): ReturnType<typeof suite.fhirStore.record> =>
  suite.fhirStore.record(held.connection.service_user_id);

/** The ids at the source of the stored resources of a type. */
function idsOf(held: TestConnection, type: string): string[] {
  return [...recordOf(held).resources.keys()]
    .filter((key) => key.startsWith(`${type}/`))
    .map((key) => key.slice(type.length + 1));
}

function stored(held: TestConnection, key: string): Resource {
  return JSON.parse(recordOf(held).resources.get(key)?.json ?? '{}') as Resource;
}

describe('a full collection', () => {
  it('deletes what the health system has deleted, which an incremental one does not see', async () => {
    const held = await connected('person-501');
    const [conditionId = ''] = idsOf(held, 'Condition');
    const [observationId = '', ...others] = idsOf(held, 'Observation');
    await suite.sandbox.remove('person-501', 'r4', 'Condition', conditionId);
    await suite.sandbox.remove('person-501', 'r4', 'Observation', observationId);
    await collectedAgain(held, false);
    expect(recordOf(held).deleted).toEqual([]);
    await collectedAgain(held, true);
    expect(recordOf(held).deleted.sort()).toEqual([`Condition/${conditionId}`, `Observation/${observationId}`]);
    expect(idsOf(held, 'Observation').sort()).toEqual(others.sort());
    const offered = held.reports.at(-1)?.types.filter(({ outcome }) => outcome !== 'not_offered');
    expect(offered?.flatMap(({ warnings }) => warnings)).toEqual([]);
    const { requests } = await suite.sandbox.seen('person-501');
    // The deleted one, and another to see that Conditions can be read.
    expect(requests['read Condition']).toBeLessThanOrEqual(2);
    await collectedAgain(held, true);
    expect(recordOf(held).deleted).toHaveLength(2);
  });

  it('restores what a client has deleted, and says how many of what it creates', async () => {
    const held = await connected('person-513');
    const [one = '', two = ''] = idsOf(held, 'Observation');
    for (const id of [one, two]) {
      recordOf(held).resources.delete(`Observation/${id}`);
      recordOf(held).deleted.push(`Observation/${id}`);
    }
    await collectedAgain(held, true);
    expect(idsOf(held, 'Observation')).toEqual(expect.arrayContaining([one, two]));
    expect(progressOf(held, 'Observation')).toMatchObject({ created: 2, restored: 2, deleted: 0 });
  });

  it('deletes where every collection is full, as the health system does not offer _lastUpdated', async () => {
    const held = await connected('person-502', 'last-updated-refused');
    const [conditionId = ''] = idsOf(held, 'Condition');
    await suite.sandbox.remove('person-502', 'r4', 'Condition', conditionId);
    await collectedAgain(held, false);
    expect(recordOf(held).deleted).toEqual([`Condition/${conditionId}`]);
  });

  it('finds what was loaded late', async () => {
    const held = await connected('person-503');
    await suite.sandbox.change('person-503', 'r4', {
      resourceType: 'Condition',
      id: 'late',
      meta: { lastUpdated: '2020-01-01T00:00:00Z' },
      subject: { reference: `Patient/${held.connection.patient_id}` },
    });
    await collectedAgain(held, false);
    expect(idsOf(held, 'Condition')).not.toContain('late');
    await collectedAgain(held, true);
    expect(idsOf(held, 'Condition')).toContain('late');
  });

  it('reads practitioners, organizations and attachments again', async () => {
    const held = await connected('person-504');
    const [practitionerId = ''] = idsOf(held, 'Practitioner');
    const [binaryId = ''] = idsOf(held, 'Binary');
    const { meta: _meta, ...practitioner } = stored(held, `Practitioner/${practitionerId}`);
    await suite.sandbox.change('person-504', 'r4', { ...practitioner, active: false });
    const [organizationId = ''] = idsOf(held, 'Organization');
    const { meta: _organizationMeta, ...organization } = stored(held, `Organization/${organizationId}`);
    await suite.sandbox.change('person-504', 'r4', { ...organization, active: false });
    const data = Buffer.from('another text').toString('base64');
    await suite.sandbox.change('person-504', 'r4', {
      resourceType: 'Binary',
      id: binaryId,
      contentType: 'text/plain',
      data,
    });
    const before = new Map([...recordOf(held).resources].map(([key, { version }]) => [key, version]));
    await collectedAgain(held, false);
    expect(stored(held, `Practitioner/${practitionerId}`)['active']).not.toBe(false);
    expect(stored(held, `Organization/${organizationId}`)['active']).not.toBe(false);
    await collectedAgain(held, true);
    expect(stored(held, `Practitioner/${practitionerId}`)['active']).toBe(false);
    expect(stored(held, `Organization/${organizationId}`)['active']).toBe(false);
    expect(stored(held, `Binary/${binaryId}`)['data']).toBe(data);
    const changed = [...recordOf(held).resources].filter(([key, { version }]) => before.get(key) !== version);
    expect(changed.map(([key]) => key).sort()).toEqual([
      `Binary/${binaryId}`,
      `Organization/${organizationId}`,
      `Practitioner/${practitionerId}`,
    ]);
  });

  it('reports references that lead nowhere as a gap only when nothing of their type was ever read', async () => {
    const held = await connected('person-540');
    const toNowhere = (type: string): { reference: string }[] =>
      ['gone-1', 'gone-2', 'gone-3'].map((id) => ({ reference: `${type}/${id}` }));
    await suite.sandbox.change('person-540', 'r4', {
      resourceType: 'Observation',
      id: 'refers-to-nowhere',
      status: 'final',
      code: { text: 'a test' },
      subject: { reference: `Patient/${held.connection.patient_id}` },
      performer: toNowhere('Practitioner'),
      focus: [...toNowhere('Substance'), ...toNowhere('Group').slice(0, 2)],
    });
    await collectedAgain(held, false);
    const nothingRead = { fetched: 0, warnings: [{ code: 'reference_not_found' }], outcome: 'complete' };
    expect(progressOf(held, 'Practitioner')).toMatchObject(nothingRead);
    expect(progressOf(held, 'Group')).toMatchObject(nothingRead);
    expect(progressOf(held, 'Substance')).toMatchObject({
      ...nothingRead,
      warnings: [{ code: 'reference_failed' }],
      outcome: 'partial',
    });
  });

  it('deletes a referred resource that is gone, when others of its type can be read', async () => {
    const held = await connected('person-505');
    const [practitionerId = ''] = idsOf(held, 'Practitioner');
    await suite.sandbox.remove('person-505', 'r4', 'Practitioner', practitionerId);
    await collectedAgain(held, true);
    expect(recordOf(held).deleted).toEqual([`Practitioner/${practitionerId}`]);
  });

  it('deletes what is answered with 410', async () => {
    const held = await connected('person-509', 'deleted-gone');
    const [conditionId = ''] = idsOf(held, 'Condition');
    await suite.sandbox.remove('person-509', 'r4', 'Condition', conditionId);
    await collectedAgain(held, true);
    expect(recordOf(held).deleted).toEqual([`Condition/${conditionId}`]);
    expect(progressOf(held, 'Condition')?.deleted).toBe(1);
    expect((await suite.sandbox.seen('person-509')).statuses[410]).toBe(1);
  });

  it('reads conditionally where the health system supports it', async () => {
    const held = await connected('person-510', 'conditional-reads');
    const [practitionerId = ''] = idsOf(held, 'Practitioner');
    const { meta: _meta, ...practitioner } = stored(held, `Practitioner/${practitionerId}`);
    await suite.sandbox.change('person-510', 'r4', { ...practitioner, active: false });
    await collectedAgain(held, true);
    expect(stored(held, `Practitioner/${practitionerId}`)['active']).toBe(false);
    expect([...recordOf(held).resources.values()].filter(({ version }) => version > 1)).toHaveLength(1);
    expect((await suite.sandbox.seen('person-510')).statuses[304]).toBeGreaterThan(1);
  });

  it('is due after some days, and the next one is incremental again', async () => {
    const held = await connected('person-506');
    const [conditionId = ''] = idsOf(held, 'Condition');
    await suite.sandbox.remove('person-506', 'r4', 'Condition', conditionId);
    await collectedAgain(held, false);
    expect(progressOf(held, 'Encounter')?.fetched).toBe(0);
    const client = new Client({ connectionString: suite.workerSettings.databaseUrl });
    await client.connect();
    await client.query(
      `UPDATE ingestion_worker.full_search SET full_at = full_at - interval '31 days' WHERE connection_id = $1`,
      [held.connection.connection_id],
    );
    await client.end();
    await collectedAgain(held, false);
    expect(progressOf(held, 'Encounter')?.fetched).toBeGreaterThan(0);
    expect(recordOf(held).deleted).toEqual([`Condition/${conditionId}`]);
    await collectedAgain(held, false);
    expect(progressOf(held, 'Encounter')?.fetched).toBe(0);
  });
});

describe('a full collection deletes nothing', () => {
  it('of another patient of the same health system in the record', async () => {
    const parent = await connected('person-507');
    const child = await suite.userManagement.connect('person-508', undefined, 'r4', parent.host);
    child.connection.service_user_id = parent.connection.service_user_id;
    await suite.queue.add(jobOf(child));
    await ended([child]);
    const size = recordOf(parent).resources.size;
    await collectedAgain(parent, true);
    await collectedAgain(child, true);
    expect([recordOf(parent).deleted, recordOf(parent).resources.size]).toEqual([[], size]);
  });

  it('of the mother whose resources those of a child refer to', async () => {
    const held = await connected('person-513', 'mother-and-child');
    const before = [...recordOf(held).resources.keys()];
    expect(before).toContain('Encounter/delivery');
    await collectedAgain(held, true);
    expect([recordOf(held).deleted, [...recordOf(held).resources.keys()]]).toEqual([[], before]);
    const offered = held.reports.at(-1)?.types.filter(({ outcome }) => outcome !== 'not_offered');
    expect(offered?.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it('of a type that cannot be read by id, although searches return it', async () => {
    const held = await connected('person-511', 'reads-not-found');
    const [conditionId = ''] = idsOf(held, 'Condition');
    await suite.sandbox.remove('person-511', 'r4', 'Condition', conditionId);
    await collectedAgain(held, true);
    expect(recordOf(held).deleted).toEqual([]);
    expect(progressOf(held, 'Condition')?.warnings.map(({ code }) => code)).toEqual(['absence_unexplained']);
  });

  it('where searches had to name categories', async () => {
    const held = await connected('person-512', 'category-required');
    const [observationId = ''] = idsOf(held, 'Observation');
    await suite.sandbox.remove('person-512', 'r4', 'Observation', observationId);
    await collectedAgain(held, true);
    expect(recordOf(held).deleted).toEqual([]);
  });
});

describe('a full collection that is interrupted', () => {
  it.each(['a page', 'the list of what is held', 'a deletion'])(
    'continues after the response to %s was lost',
    async (moment) => {
      const path = { 'a page': 'batches', 'a deletion': 'source-deletions' }[moment] ?? 'source-references';
      const username = `person-${520 + path.length}`;
      const held = await connected(username);
      const [one = '', two = ''] = idsOf(held, 'Observation');
      for (const id of [one, two]) await suite.sandbox.remove(username, 'r4', 'Observation', id);
      const before = recordOf(held).resources.size;
      let interruptions = 0;
      // The call has its effect, and fails.
      suite.fhirStore.interrupt = (what) => what === path && ++interruptions <= 6;
      await collectedAgain(held, true);
      suite.fhirStore.interrupt = () => false;
      expect(interruptions).toBeGreaterThan(6);
      expect(recordOf(held).deleted.sort()).toEqual([`Observation/${one}`, `Observation/${two}`].sort());
      expect(recordOf(held).resources.size).toBe(before - 2);
      expect(progressOf(held, 'Observation')).toMatchObject({ created: 0, deleted: 2 });
    },
  );

  it('is replaced by a newer one while it deletes', async () => {
    const held = await connected('person-560');
    const [one = ''] = idsOf(held, 'Observation');
    await suite.sandbox.remove('person-560', 'r4', 'Observation', one);
    let replaced = false;
    suite.fhirStore.interrupt = (what) => {
      if (what === 'source-deletions' && !replaced) {
        replaced = true;
        void suite.queue.add(suite.userManagement.collectAgain(held, true));
      }
      return false;
    };
    await collectedAgain(held, true);
    suite.fhirStore.interrupt = () => false;
    expect([replaced, recordOf(held).deleted]).toEqual([true, [`Observation/${one}`]]);
  });
});

it('reads everything in full after a collection that left out what is referred to, and only changes after that', async () => {
  const held = await connected('person-541', 'references-refused-at-first');
  const idsOfReferred = (): number[] => ['Practitioner', 'Binary'].map((type) => idsOf(held, type).length);
  expect(idsOfReferred()).toEqual([0, 0]);
  await collectedAgain(held, false);
  for (const type of ['Practitioner', 'Binary'])
    expect(progressOf(held, type)).toMatchObject({ outcome: 'complete', warnings: [] });
  expect(idsOfReferred()).not.toContain(0);
  expect(progressOf(held, 'Observation')?.read).toBe('full');
  await collectedAgain(held, false);
  expect(progressOf(held, 'Observation')?.read).toBe('changes');
});

it('continues from a collection that was replaced when it reported its end', async () => {
  const held = await connected('person-542');
  let replaced = false;
  suite.userManagement.onReport = ({ connection }, { state }) => {
    if (replaced || state !== 'completed' || connection !== held.connection) return;
    replaced = true;
    void suite.queue.add(suite.userManagement.collectAgain(held));
  };
  await collectedAgain(held, true);
  suite.userManagement.onReport = () => undefined;
  expect([replaced, progressOf(held, 'Observation')?.read]).toEqual([true, 'changes']);
});

describe('an incremental collection', () => {
  it('finds the attachments whose addresses had expired', async () => {
    const held = await connected('person-510', 'attachments-expired');
    expect([idsOf(held, 'Binary'), progressOf(held, 'Binary')?.warnings.map(({ code }) => code)]).toEqual([
      [],
      ['attachment_refused'],
    ]);
    await collectedAgain(held, false);
    expect(idsOf(held, 'Binary')).toHaveLength(idsOf(held, 'DocumentReference').length);
    expect(idsOf(held, 'Binary')).not.toEqual([]);
    expect(progressOf(held, 'Binary')).toMatchObject({ outcome: 'complete', warnings: [] });
  });
});

describe('the person of a connection', () => {
  it('is reported as the health system tells it, and a change warns without ending the connection', async () => {
    const held = await connected('person-540');
    const warnings = (): string[] =>
      (held.reports.at(-1)?.types.find(({ type }) => type === 'Patient')?.warnings ?? []).map(({ code }) => code);
    const person = held.reports.at(-1)?.person;
    const patient = stored(held, `Patient/${held.connection.patient_id}`) as Resource & { birthDate: string };
    expect(person?.birthDate).toBe(patient.birthDate);
    expect(person?.names).toHaveLength(1);
    expect(warnings()).toEqual([]);
    held.connection.person = person!;
    await collectedAgain(held, true);
    expect(warnings()).toEqual([]);
    // As before a correction of the health system.
    held.connection.person = { ...person!, birthDate: '1901-02-03' };
    await collectedAgain(held, true);
    expect(warnings()).toEqual(['patient_changed']);
    expect(held.reports.at(-1)?.types.find(({ type }) => type === 'Patient')?.outcome).toBe('complete');
    expect(held.reports.at(-1)?.person).toEqual(person);
  });
});
