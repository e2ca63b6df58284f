import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import { RecordExport } from '@tributary/record-storage';
import { createLog } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import { Client } from 'pg';
import { checkAfterRestore } from '../deletions/finish-destructions';
import { FhirStoreUnderTest } from '../testing/fhir-store-under-test';
import { RecordOverHttp } from '../testing/record-over-http';
import { type Recorded, answersOf, exportsOf } from '../testing/recorded-answers';

const folder = join(__dirname, '..', '..', 'upgrade');
const dumps = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);
const log = createLog('fhir-store', 'silent');

/** A database as an earlier version of the service left it, upgraded by this one. */
async function upgraded(name: string): Promise<{ store: FhirStoreUnderTest; recorded: Recorded; user: (userId: number, clientId?: string) => RecordOverHttp }> {
  const read = (file: string): Buffer => readFileSync(join(folder, name, file));
  const database = await createDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(gunzipSync(read('dump.sql.gz')).toString('utf8'));
  await client.end();
  const keyEncryptionKey = Buffer.from(read('key-encryption-key').toString('utf8').trim(), 'base64');
  const store = await FhirStoreUnderTest.start({ database, keyEncryptionKey });
  await checkAfterRestore(store.storage, log);
  const recorded = JSON.parse(gunzipSync(read('answers.json.gz')).toString('utf8')) as Recorded;
  return { store, recorded, user: (userId, clientId = 'client') => new RecordOverHttp(store.url, userId, store.auth.token(userId, clientId)) };
}

describe.each(dumps)('a database of the schema %s', (name) => {
  let { store, recorded, user } = {} as Awaited<ReturnType<typeof upgraded>>;
  beforeEach(async () => {
    ({ store, recorded, user } = await upgraded(name));
  });
  afterEach(() => store.stop());

  const reader = (): RecordExport => new RecordExport({ pool: store.pool, kek: new LocalKeyEncryptionKey([store.keyEncryptionKey]) });

  it('answers as before after the upgrade', async () => {
    expect(await answersOf(user, recorded.requests)).toEqual(recorded.requests);
    expect(await exportsOf(reader(), recorded.at)).toEqual(recorded.exports);
  });

  it('goes on from there: versions, deletions and destructions follow what is stored', async () => {
    const [patient] = await user(1).all('/r4/Patient');
    const updated = await user(1).send('put', `/r4/Patient/${patient?.id}`, { resourceType: 'Patient', id: patient?.id ?? '', name: [{ family: 'Nyman' }] });
    expect(updated.status).toBe(200);
    expect((await user(1).all('/r4/Patient?family=nyman')).map(({ meta }) => meta?.versionId)).toEqual(['3']);
    await store.storage.mergeSmallBlocks(1);
    expect((await user(1).all(`/r4/Patient/${patient?.id}/_history`)).length + (await user(1).all('/r4/Observation')).length).toBeGreaterThan(10);
    await store.records.destroy(1);
    expect((await user(1).bundle('/r4/Patient')).total).toBe(0);
    expect((await user(1).send('post', '/r4/Basic', { resourceType: 'Basic', code: { text: 'x' } })).status).not.toBe(201);
    expect((await user(4).send('post', '/r4/Basic', { resourceType: 'Basic', code: { text: 'x' } })).status).not.toBe(201);
    expect((await user(2).all('/stu3/Observation')).length).toBe(6);
  });
});
