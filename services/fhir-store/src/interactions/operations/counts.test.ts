import { type Release, releases } from '@tributary/fhir-definitions';
import type { JsonObject, Resource } from '@tributary/fhir-json';
import { UserRecord } from '@tributary/record-storage';
import { FhirStoreUnderTest } from '../../../test/fhir-store-under-test';
import { type RecordOverHttp, resourceOf, textOf } from '../../../test/record-over-http';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

interface Parameter {
  name: string;
  part: { name: string; valueCode?: string; valueInteger?: number }[];
}

/** Each count as `type year value`. */
function countsIn(parameters: Resource): string[] {
  expect(parameters.resourceType).toBe('Parameters');
  return ((parameters['parameter'] ?? []) as unknown as Parameter[]).map(({ name, part }) => {
    expect(name).toBe('count');
    const valueOf = (wanted: string) => {
      const found = part.find((each) => each.name === wanted);
      return found?.valueCode ?? found?.valueInteger ?? '-';
    };
    return ['type', 'year', 'value'].map(valueOf).join(' ');
  });
}

async function countsOf(user: RecordOverHttp, release: Release, query = ''): Promise<string[]> {
  const response = await user.get(`/${release}/$counts${query}`);
  expect(response.status).toBe(200);
  return countsIn(resourceOf(response));
}

/** The totals by type, of a search of each type. */
async function totalsOf(user: RecordOverHttp, release: Release, types: readonly string[]) {
  const totals = new Map<string, unknown>();
  for (const type of types) totals.set(type, (await user.bundle(`/${release}/${type}?_summary=count`)).total);
  return totals;
}

function sums(counts: readonly string[]): Map<string, number> {
  const byType = new Map<string, number>();
  for (const each of counts) {
    const [type = '', , value] = each.split(' ');
    byType.set(type, (byType.get(type) ?? 0) + Number(value));
  }
  return byType;
}

const observation = (date?: JsonObject): JsonObject => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  ...date,
});

describe.each(releases)('$counts in %s', (release) => {
  it('counts resources by type and year of care, as a search of each type does', async () => {
    const user = store.user();
    const dates = ['2024', '2026-01-01', '2025-12-31T20:00:00-05:00', '2026-12-31T23:30:00Z', '1931-05'];
    for (const date of dates) await user.create(release, observation({ effectiveDateTime: date }));
    await user.create(release, observation({ effectivePeriod: { start: '2023-06-01', end: '2026-06-01' } }));
    await user.create(release, observation({ effectivePeriod: { end: '2026-06-01' } }));
    await user.create(release, observation());
    await user.create(release, { resourceType: 'Patient', birthDate: '1984-03-09' });
    const { id } = await user.create(release, observation({ effectiveDateTime: '2020' }));
    await user.send('delete', `/${release}/Observation/${id}`);
    for (const other of releases.filter((each) => each !== release)) await user.create(other, observation());
    await store.user().create(release, observation());
    const counts = await countsOf(user, release);
    expect(counts).toEqual([
      'Observation 1931 1',
      'Observation 2023 1',
      'Observation 2024 1',
      'Observation 2026 3',
      'Observation - 2',
      'Patient - 1',
    ]);
    expect(sums(counts)).toEqual(await totalsOf(user, release, ['Observation', 'Patient']));
  });

  it('is empty for an empty record', async () => {
    expect(resourceOf(await store.user().get(`/${release}/$counts`))).toEqual({ resourceType: 'Parameters' });
  });

  it('decides on the content while the index is outdated', async () => {
    const user = store.user();
    await user.create(release, observation({ effectiveDateTime: '2025-12-31T20:00:00-05:00' }));
    await user.create(release, observation());
    await user.create(release, { resourceType: 'Patient' });
    const current = await countsOf(user, release);
    await store.pool.query('UPDATE fhir_store.resource SET ranges = NULL WHERE user_id = $1', [user.userId]);
    const isCurrent = jest.spyOn(UserRecord.prototype, 'isIndexCurrent').mockResolvedValue(false);
    expect(await countsOf(user, release)).toEqual(current);
    isCurrent.mockRestore();
    expect(current).toEqual(['Observation 2026 1', 'Observation - 1', 'Patient - 1']);
  });
});

it('uses the next date of care where a resource has not the first one', async () => {
  const user = store.user();
  const subject = { reference: 'Patient/x' };
  await user.create('r4', {
    resourceType: 'MedicationRequest',
    status: 'active',
    intent: 'order',
    medicationCodeableConcept: { text: 'x' },
    subject,
    authoredOn: '2021-03-04',
  });
  await user.create('r4', { resourceType: 'Condition', subject, recordedDate: '2019' });
  await user.create('r4', { resourceType: 'Condition', subject, recordedDate: '2019', onsetDateTime: '2015' });
  expect(await countsOf(user, 'r4')).toEqual(['Condition 2015 1', 'Condition 2019 1', 'MedicationRequest 2021 1']);
});

it('counts each health system in its newest release only, on request', async () => {
  const user = store.user();
  const collect = async (healthSystem: number, release: Release): Promise<void> => {
    const lines = [
      { resourceType: 'Patient', id: 'p' },
      { ...observation({ effectiveDateTime: '2026-01-01' }), id: 'o' },
    ];
    const { results } = await store.records.storeBatch(
      user.userId,
      {
        client_id: 'client',
        release,
        health_system_id: healthSystem,
        fhir_base_url: `https://ehr${healthSystem}.example.org/${release}`,
      },
      lines.map((line) => JSON.stringify(line)).join('\n'),
    );
    expect(results.every(({ outcome }) => outcome !== 'failed')).toBe(true);
  };
  await collect(7, 'stu3');
  await collect(7, 'r4');
  await collect(8, 'stu3');
  const newest = '?_releasePerSource=newest';
  expect(await countsOf(user, 'stu3')).toEqual(['Observation 2026 2', 'Patient - 2']);
  expect(await countsOf(user, 'stu3', newest)).toEqual(['Observation 2026 1', 'Patient - 1']);
  expect(await countsOf(user, 'r4', newest)).toEqual(['Observation 2026 1', 'Patient - 1']);
  expect(await countsOf(user, 'dstu2', newest)).toEqual([]);
});

it('refuses what it cannot take, and is recorded in the audit log', async () => {
  const user = store.user();
  const wrong = await user.get('/r4/$counts?_releasePerSource=oldest');
  expect([wrong.status, textOf(wrong)]).toEqual([
    400,
    expect.stringContaining('_releasePerSource takes one of newest'),
  ]);
  expect((await user.get('/r4/$counts?code=x')).status).toBe(200);
  expect((await user.get('/r4/$counts?code=x').set('Prefer', 'handling=strict')).status).toBe(400);
  expect((await user.send('post', '/r4/$counts', {})).status).toBe(405);
  expect((await user.get('/r4/Patient/$counts')).status).toBe(404);
  const before = store.events.length;
  await user.get('/r4/$counts?_releasePerSource=newest');
  expect(store.events.slice(before)).toEqual([
    expect.objectContaining({
      kind: 'fhir.operation',
      action: 'E',
      outcome: 'success',
      subject: user.userId,
      entities: [{ release: 'r4', query: '$counts&_releasePerSource' }],
    }),
  ]);
});
