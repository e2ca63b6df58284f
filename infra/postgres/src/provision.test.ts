import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { createDatabase } from '@tributary/test-environment';
import { Client } from 'pg';
import { type Owner, databaseUrl, owners, provision, provisionWhenReachable } from './provision';

/** Roles and the database `tributary` are of the whole server, so this runs once, and twice over the same names. */
describe('provision', () => {
  const passwords = Object.fromEntries(owners.map((owner) => [owner, `${owner}-password`])) as Record<Owner, string>;

  it('gives each service a schema that no other can touch, but for the export that reads the store', async () => {
    const { url, drop } = await createDatabase();
    await provision(url, passwords);
    await provision(url, passwords);
    const { hostname: host, port } = new URL(url);
    const as = async (owner: Owner, sql: string): Promise<unknown[]> => {
      const client = new Client({
        connectionString: databaseUrl(owner, { host, port: Number(port), password: passwords[owner] }),
      });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    };
    await as('fhir-store', 'create table fhir_store.proof (id int); insert into fhir_store.proof values (1)');
    expect(await as('analytics-export', 'select id from fhir_store.proof')).toEqual([{ id: 1 }]);
    await expect(as('analytics-export', 'insert into fhir_store.proof values (2)')).rejects.toThrow(
      /permission denied/,
    );
    await expect(as('auth', 'select id from fhir_store.proof')).rejects.toThrow(/permission denied/);
    await expect(as('search', 'create table public.x (id int)')).rejects.toThrow(/permission denied/);
    await as('fhir-store', 'drop table fhir_store.proof');
    await as('fhir-store', 'create table fhir_store_keys.proof (id int); insert into fhir_store_keys.proof values (1)');
    expect(await as('analytics-export', 'select id from fhir_store_keys.proof')).toEqual([{ id: 1 }]);
    await expect(as('analytics-export', 'delete from fhir_store_keys.proof')).rejects.toThrow(/permission denied/);
    await expect(as('user-management', 'select id from fhir_store_keys.proof')).rejects.toThrow(/permission denied/);
    await as('fhir-store', 'drop table fhir_store_keys.proof');
    await drop();
  });

  it('tries again while the server ends connections', async () => {
    const { url, drop } = await createDatabase();
    const { hostname, port } = new URL(url);
    let [ended, attempts] = [0, 0];
    // Ends the first connection at once, and the second after the first statement was sent.
    const proxy = createServer((client: Socket) => {
      attempts++;
      client.on('error', () => undefined);
      if (attempts === 1) return void client.destroy();
      const server = connect(Number(port), hostname).on('error', () => undefined);
      client.pipe(server).pipe(client);
      let packets = 0;
      client.on('data', () => {
        if (attempts === 2 && ++packets === 4) {
          ended++;
          server.destroy();
          client.destroy();
        }
      });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const through = Object.assign(new URL(url), { port: String((proxy.address() as AddressInfo).port) });
    await provisionWhenReachable(through.href, passwords);
    expect([ended, attempts > 2]).toEqual([1, true]);
    proxy.close();
    await drop();
  });

  it('gives up at once when the server refuses the credentials', async () => {
    const { url, drop } = await createDatabase();
    const wrong = Object.assign(new URL(url), { username: 'nobody_here', password: 'wrong' });
    await expect(provisionWhenReachable(wrong.href, passwords)).rejects.toThrow(/authentication failed/);
    await drop();
  });
});
