import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject, JsonValue } from '@tributary/fhir-json';
import { seededRandom } from '@tributary/test-environment';
import { FhirStoreUnderTest } from '../../fhir-store-under-test';
import { type Bundle, baseUrl } from '../../record-over-http';
import { CombinationRecord, type Json, contained } from './combination-record';
import { type CriterionFeature, type ResultFeature, criterionFeatures, resultFeatures } from './search-features';

/** Each search with two features, on a random record, finds what a naive evaluation on the JSON finds. */
export function describeCombinations(release: Release): void {
  describe(`${release}: every two features of a search`, () => {
    let store: FhirStoreUnderTest;
    let record: CombinationRecord;
    let criteria: CriterionFeature[];
    beforeAll(async () => {
      store = await FhirStoreUnderTest.start();
      record = await CombinationRecord.create(store.user(), release, seededRandom());
      criteria = criterionFeatures(record);
    });
    afterAll(() => store.stop());

    it('with two criteria', async () => {
      for (const [n, one] of criteria.entries()) for (const other of criteria.slice(n)) await check([one, other], []);
    });

    it('with a criterion and a parameter for the result', async () => {
      for (const criterion of criteria) for (const result of resultFeatures) await check([criterion], [result]);
    });

    it('with two parameters for the result', async () => {
      for (const [n, one] of resultFeatures.entries())
        for (const other of resultFeatures.slice(n + 1))
          if (one.query.split('=')[0] !== other.query.split('=')[0] || one.included) await check([], [one, other]);
    });

    async function check(features: CriterionFeature[], results: ResultFeature[]): Promise<void> {
      const wanted = Object.assign({}, ...results) as ResultFeature;
      const query = [...features, ...results].map((each) => each.query).join('&');
      const expected = expectedMatches(features, wanted);
      const pages = await pagesOf(`/${release}/Observation?${query}`);
      const shown = (mode: string): string[] => pages.flatMap((page) => fullUrls(page, mode)).toSorted();
      const ofFirst = pages[0]?.total;
      const isTotalKnown = !wanted.hasNoTotal && !wanted.containedType;
      expect([query, isTotalKnown ? ofFirst : '']).toEqual([query, isTotalKnown ? expected.length : '']);
      if (wanted.countOnly) return expect([query, shown('match')]).toEqual([query, []]);
      expect([query, shown('match')]).toEqual([query, expected.toSorted()]);
      if (wanted.pageSize !== undefined && !wanted.containedType)
        expect([query, Math.max(0, ...pages.map((page) => page.matches.length))]).toEqual([
          query,
          Math.min(wanted.pageSize, expected.length),
        ]);
      if (wanted.order !== undefined && !wanted.contained) checkOrder(query, pages, wanted.order);
      if (!wanted.containedType) checkIncluded(query, results, shown('match'), new Set(shown('include')));
    }

    function expectedMatches(features: CriterionFeature[], wanted: ResultFeature): string[] {
      const holds = (resource: Json, container: Json): boolean =>
        resource.resourceType === 'Observation' && features.every((feature) => feature.holds(resource, container));
      const itself = record.all.filter((each) => wanted.contained !== 'true' && holds(each, each)).map(fullUrl);
      if (wanted.contained === undefined) return itself;
      const within = record.all.flatMap((container) =>
        contained(container)
          .filter((each) => holds(each, container))
          .map(({ id }) => (wanted.containedType ? `${fullUrl(container)}#${id}` : fullUrl(container))),
      );
      return [...new Set([...itself, ...within])];
    }

    function checkOrder(query: string, pages: Bundle[], order: 1 | -1): void {
      const dates = pages
        .flatMap((page) => page.matches)
        .flatMap(({ id }) => record.all.find((each) => each.id === id)?.['effectiveDateTime'] ?? [])
        .map(String);
      const sorted = dates.toSorted((a, b) => order * a.localeCompare(b));
      expect([query, dates]).toEqual([query, sorted]);
    }

    /** What is included comes once with each page, unless it is a match of that page. */
    function checkIncluded(query: string, results: ResultFeature[], matches: string[], included: Set<string>): void {
      const expected = new Set(
        record.all
          .filter((each) => matches.includes(fullUrl(each)) && each.resourceType === 'Observation')
          .flatMap((match) => results.flatMap((result) => result.included?.(match, record) ?? []))
          .filter((each) => record.all.includes(each))
          .map(fullUrl),
      );
      expect([query, [...included].filter((each) => !expected.has(each))]).toEqual([query, []]);
      expect([query, [...expected].filter((each) => !included.has(each) && !matches.includes(each))]).toEqual([
        query,
        [],
      ]);
    }

    async function pagesOf(address: string): Promise<Bundle[]> {
      const pages: Bundle[] = [];
      for (let next: string | undefined = address; next !== undefined; next = pages.at(-1)?.link('next'))
        pages.push(await record.user.bundle(next));
      return pages;
    }

    function fullUrl({ resourceType, id }: Json): string {
      return `${baseUrl}/${release}/${resourceType}/${id}`;
    }
  });
}

function fullUrls(page: Bundle, mode: string): string[] {
  return page.entries
    .filter((entry) => (entry['search'] as JsonObject | undefined)?.['mode'] === mode)
    .map(({ fullUrl }: { fullUrl?: JsonValue }) => String(fullUrl));
}
