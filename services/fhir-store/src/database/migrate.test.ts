import { grantReadAccess } from '@tributary/record-storage';
import { createDatabase } from '@tributary/test-environment';
import { Client, Pool } from 'pg';
import { migrateFhirStore } from './migrate';

describe('migrating', () => {
  it('needs no more than its own schema, lets the role of exports read, and may be repeated', async () => {
    const database = await createDatabase();
    const suffix = database.url.split('_').at(-1) ?? '';
    const [owner, reader] = [`owner_${suffix}`, `reader_${suffix}`];
    const superuser = new Client({ connectionString: database.url });
    await superuser.connect();
    const name = new URL(database.url).pathname.slice(1);
    await superuser.query(
      `CREATE ROLE ${owner} LOGIN PASSWORD 'x'; CREATE ROLE ${reader} LOGIN PASSWORD 'x'; REVOKE ALL ON DATABASE ${name} FROM public; GRANT CONNECT ON DATABASE ${name} TO ${owner}, ${reader}; CREATE SCHEMA fhir_store AUTHORIZATION ${owner}; CREATE SCHEMA fhir_store_keys AUTHORIZATION ${owner}`,
    );
    const as = (role: string): string => Object.assign(new URL(database.url), { username: role, password: 'x' }).href;
    try {
      await migrateFhirStore(as(owner), { exportRole: reader });
      await Promise.all(Array.from({ length: 8 }, () => migrateFhirStore(as(owner), { exportRole: reader })));
      // Replicas grant at each start, also when others do at the same moment.
      const pool = new Pool({ connectionString: as(owner), max: 8 });
      await Promise.all(Array.from({ length: 80 }, () => grantReadAccess(pool, reader)));
      await pool.end();
      const client = new Client({ connectionString: as(reader) });
      await client.connect();
      await expect(client.query('SELECT count(*) FROM fhir_store.resource')).resolves.toBeDefined();
      await expect(client.query('SELECT count(*) FROM fhir_store_keys.record_key')).resolves.toBeDefined();
      await expect(client.query('DELETE FROM fhir_store_keys.record_key')).rejects.toThrow('permission denied');
      await expect(client.query('SELECT count(*) FROM fhir_store.unresolved_reference')).rejects.toThrow(
        'permission denied',
      );
      await expect(client.query('DELETE FROM fhir_store.resource')).rejects.toThrow('permission denied');
      await client.end();
    } finally {
      await superuser.query(`DROP OWNED BY ${owner}, ${reader}; DROP ROLE ${owner}, ${reader}`);
      await superuser.end();
      await database.drop();
    }
  });
});
