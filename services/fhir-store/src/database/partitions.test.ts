import { pino } from 'pino';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { migrateFhirStore } from './migrate';
import { partitionFhirStore, reportPartitions } from './partitions';

describe('the partitions of an existing installation', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start({ partitions: 0 });
  });
  afterAll(() => store.stop());

  const saidAtStart = async (wanted: number): Promise<string[]> => {
    const lines: string[] = [];
    await reportPartitions(
      store.pool,
      wanted,
      pino({}, { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) }),
    );
    return lines;
  };

  it('stay unchanged until the operator moves the records; responses and unresolved references are the same afterwards', async () => {
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
      '{"resourceType":"Patient","id":"p","birthDate":"1980-02-03","managingOrganization":{"reference":"Organization/1"}}',
    );
    for (let n = 0; n < 12; n++) await user.create('r4', { resourceType: 'Basic', code: { text: `x${n}` } });
    const answers = async () => [
      await user.all('/r4/Basic'),
      await user.all('/r4/Patient?birthdate=1980-02-03'),
      (await user.get('/r4/_history')).body,
      await store.records.unresolvedReferences(user.userId, source, undefined),
    ];
    const before = await answers();

    await migrateFhirStore(store.database.url, { partitions: 32 });
    expect(await saidAtStart(0)).toEqual([]);
    expect(await saidAtStart(32)).toEqual([expect.stringContaining('storage partition 32')]);
    expect(await answers()).toEqual(before);

    await partitionFhirStore({ DATABASE_URL: store.database.url }, 32);
    expect(await saidAtStart(32)).toEqual([]);
    expect(await answers()).toEqual(before);
    const { rows } = await store.pool.query(
      `SELECT count(*)::integer AS n FROM pg_inherits WHERE inhparent = 'fhir_store.unresolved_reference'::regclass`,
    );
    expect(rows).toEqual([{ n: 32 }]);
    expect(await store.records.resolveReferences(user.userId, source)).toEqual({ reverted: 1 });
    await expect(partitionFhirStore({ DATABASE_URL: store.database.url }, 32)).rejects.toThrow(
      'the tables have 32 partitions already',
    );
  });

  it('new sessions plan each prepared statement once', async () => {
    const { rows } = await store.pool.query('SHOW plan_cache_mode');
    expect(rows).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
    // Replicas that start at once.
    await Promise.all(Array.from({ length: 4 }, () => migrateFhirStore(store.database.url)));
  });
});
