import { type SourceRelease, convertToR4, isConvertible } from '@tributary/fhir-conversion';
import type { BatchSource } from '@tributary/contracts';
import { type Resource, stringifyJson } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import { FhirStoreUnderTest } from '../../../test/fhir-store-under-test';
import { realRecords } from '../../../test/real-records';
import { Bundle, type RecordOverHttp, resourceOf, textOf } from '../../../test/record-over-http';

const convertResource = 'application/fhir+json; fhirVersion=4.0';
const records = realRecords().filter(({ release }) => release !== 'r4');
if (records.length === 0) process.stderr.write('the real records are absent: their test in R4 is skipped\n');

/** All resources are searched. One of this number is also read by its id. */
const readEvery = 25;

(records.length > 0 ? describe : describe.skip)('real records in R4', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  /** All pages of a search without parameters, in R4. */
  async function pages(user: RecordOverHttp, release: SourceRelease): Promise<Bundle[]> {
    const found: Bundle[] = [];
    for (
      let next: string | undefined = `/${release}?_count=1000`;
      next !== undefined;
      next = found.at(-1)?.link('next')
    )
      found.push(new Bundle(resourceOf(await user.get(next).set('Accept', convertResource))));
    return found;
  }

  it.each(['dstu2', 'stu3'] as const)(
    '%s: searches and reads return the valid results of the conversion, and report resources without one',
    async (release) => {
      const user = store.user();
      for (const [index, { lines }] of records.filter((record) => record.release === release).entries()) {
        const source: BatchSource = {
          client_id: 'client',
          release,
          health_system_id: index + 1,
          fhir_base_url: `https://ehr-${index}.example.org/fhir`,
        };
        for (let from = 0; from < lines.length; from += 400)
          await store.records.storeBatch(user.userId, source, lines.slice(from, from + 400).join('\n'));
        await store.records.resolveReferences(user.userId, source);
      }
      const stored = await user.all(`/${release}?_count=1000`);
      const expected = new Map(
        stored
          .filter(({ resourceType }) => isConvertible(release, resourceType))
          .map((resource) => [resource.id, converted(release, resource)]),
      );
      expect(expected.size).toBeGreaterThan(2000);

      const shown = await pages(user, release);
      const matches = shown.flatMap((page) => page.matches);
      expect(matches).toHaveLength(expected.size);
      for (const match of matches) {
        if (stringifyJson(match) !== expected.get(match.id))
          throw new Error(`${match.resourceType}/${match.id} is not what the conversion makes of it`);
        const issues = validateResource('r4', match);
        if (issues.length > 0) throw new Error(`${match.resourceType}: ${JSON.stringify(issues)}`);
      }
      const outcomes = shown.flatMap(({ entries }) =>
        entries.filter(({ resource }) => resource?.resourceType === 'OperationOutcome' && resource.id === undefined),
      );
      expect(outcomes.flatMap(({ resource }) => resource?.['issue'])).toHaveLength(stored.length - expected.size);

      for (const { resourceType, id } of stored.filter((_, index) => index % readEvery === 0)) {
        const response = await user.get(`/${release}/${resourceType}/${id}`).set('Accept', convertResource);
        expect([response.status, response.status === 200 ? textOf(response) : undefined]).toEqual(
          isConvertible(release, resourceType) ? [200, expected.get(id)] : [406, undefined],
        );
      }
    },
  );
});

function converted(release: SourceRelease, stored: Resource): string {
  const { resource, reason } = convertToR4(release, stored);
  if (!resource) throw new Error(`${stored.resourceType}: ${reason}`);
  return stringifyJson(resource);
}
