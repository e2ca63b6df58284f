import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Release, releases } from '@tributary/fhir-definitions';
import { type Resource, parseJson } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../fhir-store-under-test';
import { realRecords } from '../../real-records';
import { ClinicRecord } from '../search/clinic-record';

/** What the programs in this folder print; the journeys expect the same of the whole suite. */
const answers = JSON.parse(readFileSync(join(__dirname, 'answers.json'), 'utf8')) as {
  'read-and-write': Record<Release, { 'fhir-kit-client': object }>;
  'store-files': object;
};

const real = realRecords().filter(({ name }) => !name.startsWith('hl7-') && !name.startsWith('gsd-'));
if (real.length === 0)
  process.stderr.write('the real records are absent: the independent clients page through a small record of our own\n');

describe('independent clients', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start({ links: 'own' });
  });
  afterAll(() => store.stop());

  /** Stores a record of a new user; how many resources of each type it has. */
  async function stored(release: Release): Promise<{ token: string; counts: Map<string, number> }> {
    const user = store.user();
    const record = real.find((each) => each.release === release);
    if (record)
      await store.records.storeBatch(
        user.userId,
        { client_id: 'client', release, health_system_id: 1, fhir_base_url: 'https://ehr.example.org/fhir' },
        record.lines.slice(0, 2000).join('\n'),
      );
    else await ClinicRecord.create(user, release);
    const keys = record
      ? record.lines.slice(0, 2000).map((line) => parseJson(line) as Resource)
      : await user.all(`/${release}?_count=1000`);
    const counts = new Map<string, number>();
    for (const key of new Set(keys.map(({ resourceType, id }) => `${resourceType}/${id}`))) {
      const type = key.split('/')[0] ?? '';
      counts.set(type, (counts.get(type) ?? 0) + 1);
    }
    return { token: user.token, counts };
  }

  it.each(releases)('%s: fhir-kit-client and fhirclient page through a record', async (release) => {
    const { token, counts } = await stored(release);
    const types = [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 6)
      .map(([type]) => type);
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(__dirname, 'page-through.mjs'), `${store.url}/${release}`, token, '40', ...types],
      { maxBuffer: 64_000_000 },
    );
    const found = JSON.parse(stdout) as Record<string, Record<string, string[]>>;
    for (const client of ['fhir-kit-client', 'fhirclient']) {
      expect([client, types.map((type) => found[client]?.[type]?.length)]).toEqual([
        client,
        types.map((type) => counts.get(type)),
      ]);
      expect(types.map((type) => new Set(found[client]?.[type]).size)).toEqual(types.map((type) => counts.get(type)));
    }
  });

  it.each(releases)('%s: fhir-kit-client, fhirclient and Medplum read, write and page back', async (release) => {
    const { token } = store.user();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(__dirname, 'read-and-write.mjs'), `${store.url}/${release}`, token],
      { maxBuffer: 64_000_000, env: { ...process.env, NODE_NO_WARNINGS: '1' } },
    );
    const answer = answers['read-and-write'][release];
    expect(JSON.parse(stdout)).toEqual({
      ...answer,
      'fhir-kit-client': { ...answer['fhir-kit-client'], tokenUrl: 'https://auth.example.org/oauth2/token' },
    });
  });

  it('r4: Medplum stores files as Binary resources, and downloads them', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(__dirname, 'store-files.mjs'), `${store.url}/r4`, store.user().token],
      { env: { ...process.env, NODE_NO_WARNINGS: '1' } },
    );
    expect(JSON.parse(stdout)).toEqual(answers['store-files']);
  });
});
