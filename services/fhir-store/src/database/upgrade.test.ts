import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { INDEX_VERSION } from '@tributary/fhir-search';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import { exportedRecords, planExport, readDeletions, streamFile, typeCodeOf } from '@tributary/record-storage';
import { createLog } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import { Client } from 'pg';
import { checkAfterRestore } from '../deletions/finish-destructions';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { RecordOverHttp } from '../../test/record-over-http';
import { Reindexing, extractIndexValues } from '../maintenance/reindexing';
import { type ExportReader, type Recorded, answersOf, exportsOf } from '../../test/recorded-responses';

const folder = join(__dirname, '..', '..', 'upgrade');
const dumps = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const log = createLog('fhir-store', 'silent');

/** A database as an earlier version of the service left it, upgraded by this one. */
async function upgraded(name: string): Promise<{
  store: FhirStoreUnderTest;
  recorded: Recorded;
  user: (userId: number, clientId?: string) => RecordOverHttp;
}> {
  const read = (file: string): Buffer => readFileSync(join(folder, name, file));
  const database = await createDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(gunzipSync(read('dump.sql.gz')).toString('utf8'));
  await client.end();
  const keyEncryptionKey = Buffer.from(read('key-encryption-key').toString('utf8').trim(), 'base64');
  // As in production: the number of partitions is that of new installations, and changes nothing here.
  const store = await FhirStoreUnderTest.start({ database, keyEncryptionKey, partitions: 16 });
  await checkAfterRestore(store.storage, log);
  const recorded = JSON.parse(gunzipSync(read('answers.json.gz')).toString('utf8')) as Recorded;
  return {
    store,
    recorded,
    user: (userId, clientId = 'client') => new RecordOverHttp(store.url, userId, store.auth.token(userId, clientId)),
  };
}

describe.each(dumps)('a database of the schema %s', (name) => {
  let { store, recorded, user } = {} as Awaited<ReturnType<typeof upgraded>>;
  beforeEach(async () => {
    ({ store, recorded, user } = await upgraded(name));
  });
  afterEach(() => store.stop());

  const reader = (): ExportReader => {
    const records = exportedRecords(store.pool, new LocalKeyEncryptionKey([store.keyEncryptionKey]));
    return {
      plan: (selection) => planExport(records, selection),
      streamFile: (file, options) => streamFile(records, file, options),
      deletions: (selection) => readDeletions(records, selection),
    };
  };

  it('has the same responses after the upgrade', async () => {
    expect(await answersOf(user, recorded.requests)).toEqual(recorded.requests);
    expect(await exportsOf(reader(), recorded.at)).toEqual(recorded.exports);
  });

  const outdated = async (): Promise<number[]> => {
    const { rows } = await store.pool.query<{ records: string; rows: string }>(`
      SELECT (SELECT count(*) FROM fhir_store.record WHERE index_version < ${INDEX_VERSION} AND destroyed_at IS NULL) AS records,
        (SELECT count(*) FROM fhir_store.resource WHERE index_version < ${INDEX_VERSION}) AS rows`);
    return [Number(rows[0]?.records), Number(rows[0]?.rows)];
  };

  /** Two replicas at once. */
  const reindex = async (): Promise<void> => {
    const { signal } = new AbortController();
    await Promise.all([0, 1].map(() => new Reindexing({ storage: store.storage, log }).round(signal)));
  };

  it('returns exact results of searches before, during and after the re-index', async () => {
    const [records, rows] = await outdated();
    expect([records, rows]).toEqual([5, 60]);
    await expectSearches();

    // Half-way: every other row and record is done, and writers are at work.
    await store.pool.query(
      `UPDATE fhir_store.resource SET index_version = 1, blind_terms = '{}', ranges = NULL WHERE get_byte(uuid_send(id), 15) % 2 = 1`,
    );
    await expectSearches();
    const reindexing = store.storage.reindexing(extractIndexValues);
    await reindexing.reindexNext();
    await reindexing.reindexNext();
    expect((await outdated())[0]).toBe(3);
    await expectSearches();

    await reindex();
    expect(await outdated()).toEqual([0, 0]);
    await expectSearches();
  });

  it('finds re-indexed resources by the index alone', async () => {
    await reindex();
    // Contents are no longer read: the rows of a record that is current decide alone, whatever stands in other columns.
    const record = store.storage.record(6, 'client');
    expect(await record.isIndexCurrent()).toBe(true);
    expect(
      await record.search.count([typeCodeOf('r4', 'Observation')], {
        op: 'any-term',
        terms: ['Observation.code|s|http://loinc.org|718-7'],
      }),
    ).toBe(6);
    expect(await record.search.count([typeCodeOf('r4', 'MedicationRequest')], { op: 'all' })).toBe(1);
  });

  it('keeps the order and the positions of pages that were begun before the re-index', async () => {
    const first = await user(1).bundle('/r4/Observation?_sort=-date&_count=4');
    await reindex();
    const found = first.matches.map(({ id }) => id);
    for (let next = first.link('next'); next !== undefined;) {
      const page = await user(1).bundle(next);
      found.push(...page.matches.map(({ id }) => id));
      next = page.link('next');
    }
    expect(found).toEqual((await user(1).all('/r4/Observation?_sort=-date&_count=100')).map(({ id }) => id));
    expect(new Set(found).size).toBe(13);
  });

  it('skips a record that cannot be re-indexed, and re-indexes all others', async () => {
    await store.pool.query(
      'UPDATE fhir_store.block SET content = overlay(content placing $1::bytea from 20) WHERE user_id = 2',
      [Buffer.alloc(8)],
    );
    await reindex();
    expect((await outdated())[0]).toBe(1);
    expect((await user(1).bundle('/r4/Patient?family=nilsson')).total).toBe(1);
  });

  /** What user 6 is found by: the code that made the dump did not find it. And all recorded answers. */
  async function expectSearches(): Promise<void> {
    const counts: Record<string, number> = {
      '/r4/Patient?family=unindexed': 1,
      '/r4/Patient?name:exact=Unindexed': 1,
      '/r4/Patient?birthdate=1950-05-05': 1,
      '/r4/Observation?code=718-7': 6,
      '/r4/Observation?code:not=718-7': 0,
      '/r4/Observation?value-quantity=gt12': 3,
      '/r4/Observation?date=lt2024-01-10&_id=6f1c0e5a-7b1d-4c7e-9a51-000000000001,6f1c0e5a-7b1d-4c7e-9a51-000000000006': 1,
      '/r4/MedicationRequest?medication.code=9': 1,
      '/r4/MedicationRequest?medication.code=8': 0,
      '/r4/MedicationRequest?status:missing=true': 0,
    };
    const found: Record<string, number> = {};
    for (const address of Object.keys(counts)) {
      const { total, matches } = await user(6).bundle(`${address}&_total=accurate`);
      found[address] = matches.length;
      expect([address, total]).toEqual([address, matches.length]);
      expect([address, (await user(6).bundle(`${address}&_summary=count`)).total]).toEqual([address, total]);
    }
    expect(found).toEqual(counts);
    const sorted = (await user(6).bundle('/r4/Observation?_sort=-date')).matches.map(({ id }) => id?.at(-1));
    expect(sorted).toEqual(['6', '5', '4', '3', '2', '1']);
    expect(
      (await user(6).bundle('/r4/Observation?_sort=value-quantity&_count=2')).matches.map(({ id }) => id?.at(-1)),
    ).toEqual(['1', '2']);
    expect(await answersOf(user, recorded.requests)).toEqual(recorded.requests);
  }

  it('continues: versions, deletions and destructions follow the stored ones', async () => {
    const [patient] = await user(1).all('/r4/Patient');
    const updated = await user(1).send('put', `/r4/Patient/${patient?.id}`, {
      resourceType: 'Patient',
      id: patient?.id ?? '',
      name: [{ family: 'Nyman' }],
    });
    expect(updated.status).toBe(200);
    expect((await user(1).all('/r4/Patient?family=nyman')).map(({ meta }) => meta?.versionId)).toEqual(['3']);
    await store.storage.compactRecord(1);
    expect(
      (await user(1).all(`/r4/Patient/${patient?.id}/_history`)).length + (await user(1).all('/r4/Observation')).length,
    ).toBeGreaterThan(10);
    await store.destroyRecord(1);
    expect((await user(1).bundle('/r4/Patient')).total).toBe(0);
    expect((await user(1).send('post', '/r4/Basic', { resourceType: 'Basic', code: { text: 'x' } })).status).not.toBe(
      201,
    );
    expect((await user(4).send('post', '/r4/Basic', { resourceType: 'Basic', code: { text: 'x' } })).status).not.toBe(
      201,
    );
    expect((await user(2).all('/stu3/Observation')).length).toBe(6);
  });
});
