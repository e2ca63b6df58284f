import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../../../test/fhir-store-under-test';
import { Bundle, type RecordOverHttp, resourceOf, textOf } from '../../../../test/record-over-http';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

const inR4 = 'application/fhir+json; fhirVersion=4.0';

function sourceOf(healthSystem: number, release: Release, base = `https://ehr${healthSystem}.example.org/${release}`) {
  return { client_id: 'client', release, health_system_id: healthSystem, fhir_base_url: base };
}

/** Stores a Patient and conditions as a collection from a release of a health system does. */
async function collect(user: RecordOverHttp, healthSystem: number, release: Release, base?: string): Promise<void> {
  const subject = { [release === 'r4' || release === 'stu3' ? 'subject' : 'patient']: { reference: 'Patient/p' } };
  const required: Record<Release, JsonObject> = {
    dstu2: { verificationStatus: 'confirmed' },
    stu3: { clinicalStatus: 'active', verificationStatus: 'confirmed' },
    r4: {},
  };
  const condition = (n: number): JsonObject => ({
    resourceType: 'Condition',
    id: `c${n}`,
    code: { text: `${healthSystem} ${release} ${n}` },
    ...required[release],
    ...subject,
  });
  const lines = [{ resourceType: 'Patient', id: 'p' }, condition(1), condition(2), condition(3)];
  const { results } = await store.records.storeBatch(
    user.userId,
    sourceOf(healthSystem, release, base),
    lines.map((line) => JSON.stringify(line)).join('\n'),
  );
  expect(results.every(({ outcome }) => outcome !== 'failed')).toBe(true);
}

async function search(user: RecordOverHttp, address: string): Promise<Bundle> {
  const response = await user.get(address).set('Accept', inR4);
  expect(response.status).toBe(200);
  return new Bundle(resourceOf(response));
}

/** The texts of the conditions that the R4 view of a release shows, page by page. */
async function conditions(user: RecordOverHttp, release: Release, query = '_releasePerSource=newest&_count=2') {
  const texts: string[] = [];
  for (let next: string | undefined = `/${release}/Condition?${query}`; next !== undefined;) {
    const page = await search(user, next);
    texts.push(...page.matches.map(({ code }) => String((code as JsonObject)['text'])));
    next = page.link('next');
  }
  return texts.toSorted();
}

const textsOf = (healthSystem: number, release: Release): string[] =>
  [1, 2, 3].map((n) => `${healthSystem} ${release} ${n}`);

it('shows each health system in its newest release only', async () => {
  const user = store.user();
  for (const release of ['r4', 'stu3', 'dstu2'] as const) await collect(user, 7, release);
  await collect(user, 8, 'dstu2');
  await collect(user, 9, 'stu3');
  await collect(user, 9, 'dstu2');
  await user.create('dstu2', {
    resourceType: 'Condition',
    code: { text: 'own' },
    verificationStatus: 'confirmed',
    patient: { reference: 'Patient/x' },
  });
  expect(await conditions(user, 'r4')).toEqual(textsOf(7, 'r4'));
  expect(await conditions(user, 'stu3')).toEqual(textsOf(9, 'stu3'));
  expect(await conditions(user, 'dstu2')).toEqual([...textsOf(8, 'dstu2'), 'own']);
  expect(await conditions(user, 'dstu2', '_count=100')).toHaveLength(10);
  const first = await search(user, '/dstu2/Condition?_releasePerSource=newest&_count=1&verification-status:not=x');
  expect(new URL(first.link('self') ?? '').searchParams.get('_releasePerSource')).toBe('newest');
  expect((await search(user, '/dstu2/Condition?_releasePerSource=newest&_count=1')).total).toBe(4);
  expect((await search(user, '/dstu2/Condition?_releasePerSource=newest&_summary=count')).total).toBe(4);
  expect((await search(user, '/dstu2?_releasePerSource=newest&_type=Patient')).total).toBe(1);
});

it('identifies a health system by its id, whatever its base URLs', async () => {
  const user = store.user();
  await collect(user, 7, 'stu3', 'https://old.example.org/api');
  await collect(user, 8, 'stu3', 'https://shared.example.org/fhir');
  await collect(user, 7, 'r4', 'https://shared.example.org/fhir');
  expect(await conditions(user, 'stu3')).toEqual(textsOf(8, 'stu3'));
});

it('shows an older release again when the newer one has no Patient any more', async () => {
  const user = store.user();
  await collect(user, 7, 'stu3');
  await collect(user, 7, 'r4');
  expect(await conditions(user, 'stu3')).toEqual([]);
  await store.records.deleteFromSource(user.userId, sourceOf(7, 'r4'), [{ reference: 'Patient/p', version: 1 }]);
  expect(await conditions(user, 'stu3')).toEqual(textsOf(7, 'stu3'));
});

it('notes health systems that are collected at the same time', async () => {
  const user = store.user();
  const all = [1, 2, 3, 4, 5, 6];
  await Promise.all(all.flatMap((id) => [collect(user, id, 'stu3'), collect(user, id, 'r4')]));
  expect((await store.storage.record(user.userId, 'client').healthSystems()).toSorted()).toEqual(all);
  expect(await conditions(user, 'stu3')).toEqual([]);
});

it('is a parameter of R4 views', async () => {
  const user = store.user();
  await collect(user, 7, 'stu3');
  await collect(user, 7, 'r4');
  const native = await user.bundle('/stu3/Condition?_releasePerSource=newest');
  expect([native.total, native.entries[0]?.resource?.['issue']]).toEqual([
    3,
    [expect.objectContaining({ expression: ['http._releasePerSource'] })],
  ]);
  const strict = await user.get('/stu3/Condition?_releasePerSource=newest').set('Prefer', 'handling=strict');
  expect(strict.status).toBe(400);
  const wrong = await user.get('/stu3/Condition?_releasePerSource=oldest').set('Accept', inR4);
  expect([wrong.status, textOf(wrong)]).toEqual([
    400,
    expect.stringContaining('_releasePerSource takes one of newest'),
  ]);
  expect((await user.bundle('/r4/Condition?_releasePerSource=newest')).total).toBe(3);
});

it('keeps the ids of health systems encrypted', async () => {
  const user = store.user();
  await collect(user, 123_456_789, 'r4');
  const { rows } = await store.pool.query<{ health_systems: Buffer }>(
    'SELECT health_systems FROM fhir_store.record WHERE user_id = $1',
    [user.userId],
  );
  expect(rows[0]?.health_systems.length).toBeGreaterThan(20);
  expect(rows[0]?.health_systems.includes('123456789')).toBe(false);
});
