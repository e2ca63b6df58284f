import type { BatchSource } from '@tributary/contracts';
import { isResourceType } from '@tributary/fhir-definitions';
import {
  type JsonObject,
  type JsonValue,
  type Resource,
  isJsonObject,
  parseJson,
  stringifyJson,
} from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../test/fhir-store-under-test';
import { type RealRecord, realRecords } from '../test/real-records';
import type { RecordOverHttp } from '../test/record-over-http';

const base = 'https://ehr.example.org/fhir';
const records = realRecords();
if (records.length === 0) process.stderr.write('the real records are absent: their test is skipped\n');
const whole = records.filter(({ name }) => !name.startsWith('hl7-'));

(whole.length > 0 ? describe : describe.skip)('real records', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  async function collect(user: RecordOverHttp, { release, lines }: RealRecord): Promise<string[]> {
    const source: BatchSource = { client_id: 'client', release, health_system_id: 1, fhir_base_url: base };
    const outcomes: string[] = [];
    for (let from = 0; from < lines.length; from += 400) {
      const { results } = await store.records.storeBatch(user.userId, source, lines.slice(from, from + 400).join('\n'));
      outcomes.push(...results.map(({ outcome }) => outcome));
    }
    await store.records.resolveReferences(user.userId, source);
    return outcomes;
  }

  it.each(whole.map((record): [string, RealRecord] => [`${record.release} ${record.name}`, record]))(
    '%s: is stored as it is, and collecting again changes nothing',
    async (_name, record) => {
      const user = store.user();
      const { release, lines } = record;
      const sources = lines.map((line) => parseJson(line) as Resource & { id: string });
      const distinct = new Map(sources.map((resource) => [`${resource.resourceType}/${resource.id}`, resource]));
      await collect(user, record);
      const stored = await user.all(`/${release}?_count=1000`);
      expect(stored).toHaveLength(distinct.size);

      const sourceOf = new Map(stored.map((resource) => [resource, sourceReference(resource)]));
      const ids = new Map(
        stored.map((resource) => [sourceOf.get(resource) as string, `${resource.resourceType}/${resource.id}`]),
      );
      for (const resource of stored) {
        const source = distinct.get(sourceOf.get(resource) as string) as Resource;
        expect(withoutHead(resource)).toBe(stringifyJson(expected(withoutHeadOf(source), release, ids)));
      }

      const again = await collect(user, record);
      expect(new Set(again)).toEqual(new Set(['unchanged']));
      const after = await user.all(`/${release}?_count=1000`);
      expect(after.map(({ meta }) => meta?.versionId)).toEqual(stored.map(({ meta }) => meta?.versionId));
    },
  );

  it('is valid as a transaction, and its resources are found by their references', async () => {
    const record = whole.find(({ name, release }) => release === 'r4' && name.startsWith('bds-')) as RealRecord;
    const user = store.user();
    const resources = record.lines.slice(0, 300).map((line) => parseJson(line) as Resource & { id: string });
    const entry = resources.map((resource): JsonObject => ({
      fullUrl: `${base}/${resource.resourceType}/${resource.id}`,
      resource,
      request: { method: 'POST', url: resource.resourceType },
    }));
    const response = await user.send('post', '/r4', { resourceType: 'Bundle', type: 'transaction', entry });
    expect([response.status, response.status === 200 ? '' : response.body]).toEqual([200, '']);
    const [patient] = await user.all('/r4/Patient');
    const conditions = resources.filter(({ resourceType }) => resourceType === 'Condition');
    expect(await user.all(`/r4/Condition?patient=${patient?.id}`)).toHaveLength(conditions.length);
  });
});

function sourceReference(resource: Resource): string {
  const meta = resource.meta as JsonObject;
  const extensions = (meta['extension'] ?? []) as JsonObject[];
  const url = (meta['source'] ?? extensions.at(-1)?.['valueUri']) as string;
  return url.slice(base.length + 1);
}

function withoutHeadOf({ id: _id, meta: _meta, ...members }: Resource): JsonObject {
  return members;
}

function withoutHead(resource: Resource): string {
  return stringifyJson(withoutHeadOf(resource));
}

/** What is stored: references that resolve within the record are ours, all others are as they were. */
function expected(value: JsonValue, release: RealRecord['release'], ids: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => expected(item, release, ids));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const own =
        name === 'reference' && typeof member === 'string' && isResourceType(release, member.split('/')[0] ?? '')
          ? ids.get(member)
          : undefined;
      return [name, own ?? expected(member as JsonValue, release, ids)];
    }),
  );
}
