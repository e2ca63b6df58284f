import { DataKey } from '@tributary/key-vault';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import type { RecordOverHttp } from '../../test/record-over-http';
import { UnresolvedReferences, deleteOldUnresolvedReferences } from './unresolved-references';

const source = {
  client_id: 'client',
  release: 'r4' as const,
  health_system_id: 7,
  fhir_base_url: 'https://ehr.example.org/fhir/r4',
};
const patient = { resourceType: 'Patient', id: 'p', generalPractitioner: [{ reference: 'Practitioner/late' }] };
const practitioner = { resourceType: 'Practitioner', id: 'late' };

describe.each([0, 3])('unresolved references with %i partitions', (partitions) => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start({ partitions });
  });
  afterAll(() => store.stop());
  afterEach(() => jest.restoreAllMocks());

  const storeLines = (user: RecordOverHttp, resources: unknown[]) =>
    store.records.storeBatch(user.userId, source, resources.map((each) => JSON.stringify(each)).join('\n'));
  const resolveReferences = (user: RecordOverHttp) => store.records.resolveReferences(user.userId, source);
  const remembered = async (user: RecordOverHttp): Promise<number> =>
    (await store.pool.query('SELECT FROM fhir_store.unresolved_reference WHERE user_id = $1', [user.userId]))
      .rowCount ?? 0;
  const referenceOf = async (user: RecordOverHttp): Promise<unknown> =>
    ((await user.all('/r4/Patient'))[0] as typeof patient | undefined)?.generalPractitioner[0]?.reference;
  const ourForm = async (user: RecordOverHttp): Promise<string> =>
    `Practitioner/${(await user.all('/r4/Practitioner'))[0]?.id}`;

  it('the end of a collection reads what was collected, not what still stands from earlier ones', async () => {
    const user = store.user();
    await storeLines(
      user,
      Array.from({ length: 700 }, (_, n) => ({
        resourceType: 'Observation',
        id: `o${n}`,
        performer: [{ reference: `Practitioner/${n}` }],
      })),
    );
    expect(await resolveReferences(user)).toEqual({ reverted: 700 });
    const opened = jest.spyOn(DataKey.prototype, 'openText');
    await storeLines(user, [patient]);
    expect(await resolveReferences(user)).toEqual({ reverted: 1 });
    expect(opened.mock.calls.length).toBe(1);
    expect(await resolveReferences(user)).toEqual({ reverted: 0 });
    expect(opened.mock.calls.length).toBe(1);
  });

  it('a target that comes in a later collection, without its referrer, gets its reference', async () => {
    const user = store.user();
    await storeLines(user, [patient]);
    await resolveReferences(user);
    expect(await referenceOf(user)).toBe('Practitioner/late');
    await storeLines(user, [practitioner]);
    expect(await resolveReferences(user)).toEqual({ reverted: 1 });
    expect(await referenceOf(user)).toBe(await ourForm(user));
    expect(await remembered(user)).toBe(0);
  });

  it('also when the batch is cut off after it has stored the target, and sent again', async () => {
    const user = store.user();
    await storeLines(user, [patient]);
    await resolveReferences(user);
    jest.spyOn(UnresolvedReferences.prototype, 'markArrived').mockRejectedValueOnce(new Error('cut off'));
    await expect(storeLines(user, [practitioner])).rejects.toThrow();
    expect((await storeLines(user, [practitioner])).results[0]?.outcome).toBe('unchanged');
    await resolveReferences(user);
    expect(await referenceOf(user)).toBe(await ourForm(user));
  });

  it('also when it comes while the collection is being ended', async () => {
    const user = store.user();
    await storeLines(user, [patient]);
    const { markReverted } = UnresolvedReferences.prototype;
    jest.spyOn(UnresolvedReferences.prototype, 'markReverted').mockImplementationOnce(async function (
      this: UnresolvedReferences,
      references,
    ) {
      await storeLines(user, [practitioner]);
      return markReverted.call(this, references);
    });
    await resolveReferences(user);
    expect(await referenceOf(user)).toBe(await ourForm(user));
    expect(await remembered(user)).toBe(0);
  });

  it('are forgotten with their resource', async () => {
    const user = store.user();
    await storeLines(user, [patient]);
    const id = (await user.all('/r4/Patient'))[0]?.id;
    expect((await user.send('delete', `/r4/Patient/${id}`)).status).toBe(204);
    await resolveReferences(user);
    expect(await remembered(user)).toBe(0);
  });

  it('are forgotten when nothing has come of them for half a year; pending ones stay', async () => {
    const [user, other] = [store.user(), store.user()];
    await storeLines(user, [patient]);
    await resolveReferences(user);
    await storeLines(other, [patient]);
    expect(await deleteOldUnresolvedReferences(store.pool)).toBe(0);
    await store.pool.query('UPDATE fhir_store.unresolved_reference SET remembered_at = 0 WHERE user_id = ANY ($1)', [
      [user.userId, other.userId],
    ]);
    expect(await deleteOldUnresolvedReferences(store.pool)).toBe(1);
    expect([await remembered(user), await remembered(other)]).toEqual([0, 1]);
    // Collected again, it is remembered anew.
    await storeLines(user, [{ ...patient, gender: 'male' }]);
    expect(await remembered(user)).toBe(1);
  });

  it('survive batches of the same resources at once, with targets and referrers in any order', async () => {
    const user = store.user();
    const all = Array.from({ length: 60 }, (_, n) => ({
      resourceType: n % 2 ? 'Practitioner' : 'Organization',
      id: `x${n}`,
      ...(n % 2 ? {} : { partOf: { reference: `Organization/x${(n + 2) % 60}` } }),
    }));
    await storeLines(
      user,
      all.filter((_, n) => n % 4 === 0),
    );
    await resolveReferences(user);
    await Promise.all(Array.from({ length: 6 }, (_, n) => storeLines(user, n % 2 ? all : all.toReversed())));
    await resolveReferences(user);
    expect(await remembered(user)).toBe(0);
    const ids = new Set((await user.all('/r4/Organization?_count=100')).map(({ id }) => `Organization/${id}`));
    const parts = (await user.all('/r4/Organization?_count=100')).map(
      (each) => (each['partOf'] as { reference: string }).reference,
    );
    expect(parts.every((reference) => ids.has(reference))).toBe(true);
  });
});
