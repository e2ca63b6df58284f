import { randomBytes } from 'node:crypto';
import { waitUntil } from '@tributary/test-environment';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import { RecordStorage, typeCodeOf } from '@tributary/record-storage';
import { createLog } from '@tributary/service-kit';
import { pino } from 'pino';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { MaintenanceLoop } from './maintenance';

describe('maintenance', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start({ partitions: 3 });
  });
  afterAll(() => store.stop());

  const maintenance = (intervalMs?: number) =>
    new MaintenanceLoop({
      storage: store.storage,
      pool: store.pool,
      log: createLog('fhir-store', 'silent'),
      ...(intervalMs === undefined ? {} : { intervalMs }),
    });
  const blocks = async (userId: number) =>
    Number(
      (
        await store.pool.query<{ count: string }>(
          'SELECT count(*) FROM fhir_store.block WHERE user_id = $1 AND retired_at IS NULL',
          [userId],
        )
      ).rows[0]?.count,
    );

  it('compacts small blocks without a visible change, also with two replicas', async () => {
    const user = store.user();
    for (let n = 0; n < 60; n++) await user.create('r4', { resourceType: 'Basic', code: { text: `x${n}` } });
    const before = await user.all('/r4/Basic');
    expect(await blocks(user.userId)).toBe(60);
    await Promise.all([maintenance().round(), maintenance().round()]);
    expect(await blocks(user.userId)).toBeLessThan(10);
    expect(await user.all('/r4/Basic')).toEqual(before);
  });

  it('runs in the background and stops on request', async () => {
    const user = store.user();
    for (let n = 0; n < 60; n++) await user.create('r4', { resourceType: 'Basic', code: { text: `x${n}` } });
    const running = maintenance(10);
    running.start();
    await waitUntil(async () => (await blocks(user.userId)) <= 10);
    await running.stop();
  });

  it('rewraps the keys of clients with a new key-encryption key', async () => {
    const user = store.user();
    const { id } = await user.create('r4', { resourceType: 'Basic', code: { text: 'x' } });
    const fresh = randomBytes(32);
    const rotated = new RecordStorage({
      pool: store.pool,
      kek: new LocalKeyEncryptionKey([store.keyEncryptionKey, fresh]),
    });
    const onlyFresh = new RecordStorage({ pool: store.pool, kek: new LocalKeyEncryptionKey([fresh]) });
    const read = (storage: RecordStorage) => storage.record(user.userId, 'client').read(typeCodeOf('r4', 'Basic'), id);
    await expect(read(onlyFresh)).rejects.toThrow();
    await new MaintenanceLoop({ storage: rotated, pool: store.pool, log: createLog('fhir-store', 'silent') }).round();
    expect((await read(onlyFresh))?.json?.toString()).toContain(id);
    expect((await user.get(`/r4/Basic/${id}`)).status).toBe(200);
    await Promise.all([rotated.close(), onlyFresh.close()]);
  });

  it('purges, and compacts other records, while one cannot be read', async () => {
    const [bad, good] = [store.user(), store.user()];
    for (const user of [bad, good])
      for (let n = 0; n < 12; n++) await user.create('r4', { resourceType: 'Basic', code: { text: `x${n}` } });
    await store.pool.query('UPDATE fhir_store.block SET content = $1 WHERE user_id = $2', [
      randomBytes(200),
      bad.userId,
    ]);
    const retiredLongAgo =
      'UPDATE fhir_store.block SET retired_at = 1 WHERE user_id = $1 AND block_id = (SELECT min(block_id) FROM fhir_store.block WHERE user_id = $1)';
    await store.pool.query(retiredLongAgo, [bad.userId]);
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => lines.push(line) });
    await new MaintenanceLoop({ storage: store.storage, pool: store.pool, log }).round();
    expect(await blocks(good.userId)).toBe(1);
    const left = await store.pool.query('SELECT FROM fhir_store.block WHERE user_id = $1', [bad.userId]);
    expect(left.rowCount).toBe(11);
    const reports = lines
      .map((line) => JSON.parse(line) as { service_user_id?: number; failures?: number; blocks?: unknown[] })
      .filter(({ failures }) => failures);
    expect(reports).toEqual([expect.objectContaining({ service_user_id: bad.userId, failures: 1 })]);
    expect(reports[0]?.blocks).toHaveLength(8);
  });

  it('keeps unresolved references in one partition', async () => {
    const user = store.user();
    const source = {
      client_id: 'client',
      release: 'r4' as const,
      health_system_id: 1,
      fhir_base_url: 'https://ehr.example.org',
    };
    await store.records.storeBatch(
      user.userId,
      source,
      '{"resourceType":"Patient","id":"p","managingOrganization":{"reference":"Organization/1"}}',
    );
    expect((await store.records.unresolvedReferences(user.userId, source, undefined)).references).toEqual([
      'Organization/1',
    ]);
    expect(await store.records.resolveReferences(user.userId, source)).toEqual({ reverted: 1 });
    const { rows } = await store.pool.query<{ plan: string }>(
      `EXPLAIN SELECT FROM fhir_store.unresolved_reference WHERE user_id = ${user.userId} AND source = 1`,
    );
    expect(
      JSON.stringify(rows)
        .match(/unresolved_reference_\d/g)
        ?.filter((name, index, all) => all.indexOf(name) === index),
    ).toHaveLength(1);
  });
});
