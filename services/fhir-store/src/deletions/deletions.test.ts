import { createLog } from '@tributary/service-kit';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { usersWithClients } from '../maintenance/users-with-clients';
import { exportDeletions, replayDeletions } from './deletion-list';
import { checkAfterRestore } from './finish-destructions';

describe('the list of destroyed records', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start({ partitions: 3 });
  });
  afterAll(() => store.stop());

  const source = {
    client_id: 'client',
    release: 'r4' as const,
    health_system_id: 1,
    fhir_base_url: 'https://ehr.example.org',
  };
  const listed = async (): Promise<string> => {
    let list = '';
    for await (const lines of exportDeletions(store.storage)) list += lines;
    return list;
  };
  const rowsOf = async (userId: number): Promise<number> => {
    const counts = ['resource', 'resource_history', 'block', 'unresolved_reference'].map(
      (table) => `(SELECT count(*) FROM fhir_store.${table} WHERE user_id = ${userId})`,
    );
    return Number((await store.pool.query<{ rows: string }>(`SELECT ${counts.join(' + ')} AS rows`)).rows[0]?.rows);
  };

  it('destroys the records that a restored backup contains again, and no others', async () => {
    const [gone, kept] = [store.user(), store.user()];
    for (const { userId } of [gone, kept])
      await store.records.storeBatch(
        userId,
        source,
        '{"resourceType":"Patient","id":"p","managingOrganization":{"reference":"Organization/1"}}',
      );
    const tables = [
      'fhir_store.record',
      'fhir_store.resource',
      'fhir_store.block',
      'fhir_store.unresolved_reference',
      'fhir_store_keys.record_key',
    ];
    for (const table of tables)
      await store.pool.query(`CREATE TABLE public.${table.replace('.', '_')} AS TABLE ${table}`);
    await store.destroyRecord(gone.userId);
    expect(await rowsOf(gone.userId)).toBe(0);
    const list = await listed();
    expect(
      list
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { user_id: number }).user_id),
    ).toEqual([gone.userId]);

    for (const table of tables)
      await store.pool.query(`TRUNCATE ${table}; INSERT INTO ${table} SELECT * FROM public.${table.replace('.', '_')}`);
    expect(await rowsOf(gone.userId)).toBeGreaterThan(0);
    expect(await listed()).toBe('');
    let recorded: object[] = [];
    const replay = replayDeletions(store.storage, list, async (users) => {
      expect(await rowsOf(gone.userId)).toBeGreaterThan(0);
      recorded = await usersWithClients(store.pool, users);
    });
    expect(await replay).toBe(1);
    expect(recorded).toEqual([{ serviceUserId: gone.userId, clientId: 'client' }]);
    expect(await rowsOf(gone.userId)).toBe(0);
    expect(await rowsOf(kept.userId)).toBeGreaterThan(0);
    await checkAfterRestore(store.storage, createLog('fhir-store', 'silent'));
    expect((await gone.bundle('/r4/Patient')).total).toBe(0);
    expect((await kept.bundle('/r4/Patient')).total).toBe(1);
  });

  it('is refused as a whole when one line is malformed', async () => {
    const user = store.user();
    await user.create('r4', { resourceType: 'Basic', code: { text: 'x' } });
    const line = JSON.stringify({ user_id: user.userId, destroyed_at: new Date().toISOString() });
    for (const wrong of [
      '{}',
      'x',
      '{"user_id":"1","destroyed_at":"2026-01-01T00:00:00Z"}',
      '{"user_id":-1,"destroyed_at":"2026-01-01T00:00:00Z"}',
    ]) {
      const replay = replayDeletions(store.storage, `${line}\n${wrong}\n`, () => Promise.resolve());
      await expect(replay).rejects.toThrow(/^line 2 is not a line/);
    }
    const unrecorded = replayDeletions(store.storage, line, () => Promise.reject(new Error('not recorded')));
    await expect(unrecorded).rejects.toThrow('not recorded');
    expect((await user.bundle('/r4/Basic')).total).toBe(1);
  });
});
