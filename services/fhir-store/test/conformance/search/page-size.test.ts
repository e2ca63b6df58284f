import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../fhir-store-under-test';
import { Bundle, type RecordOverHttp, resourceOf, textOf } from '../../record-over-http';

/** A hundredth of the real limit: sizes below are in hundredths of a megabyte. */
const pageBytes = 160_000;
/** With a little for what is around the resources. */
const maxBytes = pageBytes + 10_000;
const contentOf = (size: number): string => 'QUJD'.repeat((size * 10_000) / 4);
const binary = (size: number): JsonObject => ({
  resourceType: 'Binary',
  contentType: 'application/octet-stream',
  data: contentOf(size),
});
const named = (family: string): JsonObject => ({ resourceType: 'Patient', name: [{ family }] });
const letter = (patient: string, size: number): JsonObject => ({
  resourceType: 'DocumentReference',
  status: 'current',
  subject: { reference: `Patient/${patient}` },
  content: [{ attachment: { contentType: 'application/pdf', data: contentOf(size) } }],
});

/** The R4 search page, #count: a server may give fewer resources than asked for, and tells of the next page. */
describe('pages of large resources', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start({ contentLimits: { pageBytes } });
  });
  afterAll(() => store.stop());

  interface Pages {
    readonly matches: string[];
    readonly included: string[];
    readonly lengths: number[];
  }

  /** Everything on all pages. */
  async function pages(user: RecordOverHttp, address: string): Promise<Pages> {
    const all: Pages = { matches: [], included: [], lengths: [] };
    for (let next: string | undefined = address; next !== undefined;) {
      const response = await user.get(next);
      expect([next, response.status]).toEqual([next, 200]);
      const text = textOf(response);
      expect(text.length).toBeLessThan(maxBytes);
      const page: Bundle = new Bundle(resourceOf(response));
      all.matches.push(...page.matches.map(({ id }) => id ?? ''));
      all.included.push(...page.included.map(({ id }) => id ?? ''));
      all.lengths.push(page.matches.length);
      next = page.link('next');
    }
    return all;
  }

  describe('of Binaries', () => {
    const sizes = [6, 6, 15, 0.01, 9];
    const ids: string[] = [];
    let user: RecordOverHttp;
    beforeAll(async () => {
      user = store.user();
      for (const size of sizes) ids.push((await user.create('r4', binary(size))).id);
    });

    it.each([
      'Binary?_count=100',
      '?_type=Binary,Patient',
      '?_count=100',
      'Binary?_sort=contenttype',
      'Binary?_content=application',
    ])('hold the limit, and the rest comes on the next ones: %s', async (search) => {
      const { matches, lengths } = await pages(user, `/r4${search.startsWith('?') ? '' : '/'}${search}`);
      expect(matches.toSorted()).toEqual(ids.toSorted());
      expect(lengths.length).toBeGreaterThanOrEqual(3);
      expect(Math.min(...lengths)).toBeGreaterThan(0);
    });

    it('have the total of all pages', async () => {
      expect((await user.bundle('/r4/Binary?_total=accurate')).total).toBe(sizes.length);
    });
  });

  it('are shorter when included resources are large', async () => {
    const user = store.user();
    const patients: string[] = [];
    const letters: string[] = [];
    for (const family of ['a', 'b', 'c', 'd']) {
      const { id } = await user.create('r4', named(family));
      patients.push(id);
      for (let n = 0; n < 2; n++) letters.push((await user.create('r4', letter(id, 4))).id);
    }
    const reverseIncluded = await pages(user, '/r4/Patient?_revinclude=DocumentReference:patient');
    expect([reverseIncluded.matches.toSorted(), reverseIncluded.included.toSorted()]).toEqual([
      patients.toSorted(),
      letters.toSorted(),
    ]);
    const included = await pages(user, '/r4/DocumentReference?_include=DocumentReference:patient&_count=1000');
    expect([included.matches.toSorted(), [...new Set(included.included)].toSorted()]).toEqual([
      letters.toSorted(),
      patients.toSorted(),
    ]);
  });

  it('refuse a match whose included resources exceed the limit, instead of leaving some out', async () => {
    const user = store.user();
    const { id } = await user.create('r4', named('a'));
    for (let n = 0; n < 5; n++) await user.create('r4', letter(id, 14));
    const response = await user.get('/r4/Patient?_revinclude=DocumentReference:patient');
    expect([response.status, resourceOf(response)]).toEqual([
      400,
      expect.objectContaining({ issue: [expect.objectContaining({ code: 'too-costly' })] }),
    ]);
    expect((await pages(user, `/r4/DocumentReference?patient=${id}`)).lengths).toEqual([1, 1, 1, 1, 1]);
  });
});
