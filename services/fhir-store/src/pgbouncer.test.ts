import { databaseConfig } from '@tributary/service-kit';
import { createDatabase, createRole, hasPgBouncer, startPgBouncer } from '@tributary/test-environment';
import { fhirStoreSchema } from './database/migrate';
import { FhirStoreUnderTest } from '../test/fhir-store-under-test';
import { resourceOf } from '../test/record-over-http';

const test = hasPgBouncer ? it : it.skip;

describe(
  hasPgBouncer
    ? 'behind a connection pooler'
    : 'behind a connection pooler (skipped: /usr/sbin/pgbouncer is not installed)',
  () => {
    test('fhir-store creates, updates, reads and searches through PgBouncer in transaction mode, with many more clients than server connections', async () => {
      const database = await createDatabase();
      const role = await createRole(database, fhirStoreSchema);
      const bouncer = await startPgBouncer(role.url, 3);
      const reached = databaseConfig.parse({ DATABASE_URL: bouncer.url, DATABASE_POOLER: 'transaction' });
      const store = await FhirStoreUnderTest.start({ database, databaseConfig: reached });
      try {
        await Promise.all(
          Array.from({ length: 12 }, async (_x, n) => {
            const record = store.user();
            const patient = { resourceType: 'Patient', name: [{ family: `Family ${n}` }] };
            const { id } = await record.create('r4', patient);
            expect((await record.send('put', `/r4/Patient/${id}`, { ...patient, id, active: true })).status).toBe(200);
            expect(resourceOf(await record.get(`/r4/Patient/${id}`))).toMatchObject({
              id,
              active: true,
              meta: { versionId: '2' },
            });
            expect((await record.bundle(`/r4/Patient?family=family%20${n}`)).matches).toMatchObject([{ id }]);
            expect((await record.bundle(`/r4/Patient/${id}/_history`)).entries).toHaveLength(2);
          }),
        );
      } finally {
        await store.stop();
        await bouncer.stop();
        await role.drop();
      }
    });
  },
);
