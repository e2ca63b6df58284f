import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { createDatabase } from '@tributary/test-environment';
import { Client } from 'pg';
import { findGrantProblems } from './check-grants';
import { type DatabaseUser, databaseUrl, databaseUsers, provision, provisionWhenReachable } from './provision';

/** Roles and the database `tributary` are of the whole server, so this runs once, and twice over the same names. */
describe('provision', () => {
  const passwords = Object.fromEntries(databaseUsers.map((user) => [user, `${user}-password`])) as Record<
    DatabaseUser,
    string
  >;

  it('gives each service a schema that no other can touch, but for the export that reads the store', async () => {
    const { url, drop } = await createDatabase();
    await provision({ DATABASE_URL: url }, passwords);
    await provision({ DATABASE_URL: url }, passwords);
    const { hostname: host, port } = new URL(url);
    const as = async (user: DatabaseUser, sql: string): Promise<unknown[]> => {
      const client = new Client({
        connectionString: Object.assign(new URL(databaseUrl(user, { host, port: Number(port) })), {
          password: passwords[user],
        }).href,
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
    await as('console', 'create table console.proof (id int)');
    for (const user of ['auth', 'analytics-export'] as const)
      await expect(as(user, 'select id from console.proof')).rejects.toThrow(/permission denied/);
    await as('console', 'drop table console.proof');
    await expect(as('search', 'create table public.x (id int)')).rejects.toThrow(/permission denied/);
    await as('fhir-store', 'drop table fhir_store.proof');
    await as('fhir-store', 'create table fhir_store_keys.proof (id int); insert into fhir_store_keys.proof values (1)');
    expect(await as('analytics-export', 'select id from fhir_store_keys.proof')).toEqual([{ id: 1 }]);
    await expect(as('analytics-export', 'delete from fhir_store_keys.proof')).rejects.toThrow(/permission denied/);
    await expect(as('user-management', 'select id from fhir_store_keys.proof')).rejects.toThrow(/permission denied/);
    await as('fhir-store', 'drop table fhir_store_keys.proof');
    expect(await as('audit-log', 'select count(*)::int as blocks from audit.block')).toEqual([{ blocks: 0 }]);
    expect(await as('audit-log', 'select days from audit.retention')).toEqual([{ days: 2196 }]);
    await expect(as('audit-log', 'delete from audit.block')).rejects.toThrow(/permission denied/);
    await expect(as('fhir-store', 'select from audit.block')).rejects.toThrow(/permission denied/);
    await drop();
  });

  it('sets the last password of several, without comments', async () => {
    const { url, drop } = await createDatabase();
    await provision(
      { DATABASE_URL: url },
      { ...passwords, auth: 'an old one\n# the next one\n  auth-password \n# a comment' },
    );
    const { hostname: host, port } = new URL(url);
    const client = new Client({
      connectionString: Object.assign(new URL(databaseUrl('auth', { host, port: Number(port) })), {
        password: 'auth-password',
      }).href,
    });
    await client.connect();
    await client.end();
    await expect(provision({ DATABASE_URL: url }, { ...passwords, auth: '# no value' })).rejects.toThrow('no value');
    await drop();
  });

  describe('the grants of the database', () => {
    let client: Client;
    let superuser: string;
    let drop: () => Promise<void>;
    beforeAll(async () => {
      const database = await createDatabase();
      drop = database.drop;
      superuser = new URL(database.url).username;
      await provision({ DATABASE_URL: database.url }, passwords);
      client = new Client({ connectionString: Object.assign(new URL(database.url), { pathname: '/tributary' }).href });
      await client.connect();
    });
    // Each test takes back what it has changed.
    beforeEach(() => client.query('begin'));
    afterEach(() => client.query('rollback'));
    afterAll(async () => {
      await client.end();
      await drop();
    });
    const changed = async (sql: string): Promise<string[]> => {
      await client.query(sql);
      // Other test files have roles of their own in the same cluster.
      return (await findGrantProblems(client)).filter((problem) => !/: role role_[0-9a-f]{8}_/.test(problem));
    };

    it('are those that are expected, also for what the services create later', async () => {
      expect(await findGrantProblems(client)).toEqual([]);
      for (const role of ['auth', 'fhir_store', 'user_management', 'analytics_export', 'console'])
        await client.query(`set local role ${role};
          create table ${role}.later (id bigint generated always as identity);
          create view ${role}.seen as select * from ${role}.later;
          create function ${role}.answer() returns int language sql as 'select 42';
          reset role`);
      expect(await findGrantProblems(client)).toEqual([]);
    });

    it.each([
      ['alter role auth createdb', ['not expected: role auth: login createdb', 'missing: role auth: login']],
      ['alter role search superuser', ['not expected: role search: login superuser', 'missing: role search: login']],
      [
        'create role stranger login; grant connect on database tributary to stranger',
        ['not expected: role stranger: login', 'not expected: stranger has CONNECT on the database'],
      ],
      ['grant fhir_store to auth', ['not expected: auth is a member of fhir_store']],
      ['grant pg_read_all_data to search', ['not expected: search is a member of pg_read_all_data']],
      [
        'revoke pg_read_all_stats from analytics_export',
        ['missing: analytics_export is a member of pg_read_all_stats'],
      ],
      [
        'grant connect on database tributary to public',
        ['not expected: PUBLIC has CONNECT on the database', 'not expected: role audit_owner:'],
      ],
      ['grant temporary on database tributary to auth', ['not expected: auth has TEMPORARY on the database']],
      [
        'grant delete on audit.block to audit_log; grant update on audit.block_default to auth',
        [
          'changed in the audit log: privilege DELETE on block',
          'changed in the audit log: privilege UPDATE on block_default',
          'not expected: audit_log has DELETE on table audit.block',
          'not expected: auth has UPDATE on table audit.block_default',
        ],
      ],
      ['grant audit_owner to audit_log', ['not expected: audit_log is a member of audit_owner']],
      ['grant usage on schema auth to search', ['not expected: search has USAGE on schema auth']],
      [
        'alter schema auth owner to search',
        ['not expected: search owns schema auth', 'missing: auth owns schema auth'],
      ],
      [
        'create schema extra; create table extra.data ()',
        ['not expected: superuser owns schema extra', 'not expected: superuser owns table extra.data'],
      ],
      [
        'create table fhir_store.foreign_one (id int)',
        [
          'not expected: superuser owns table fhir_store.foreign_one',
          'missing: fhir_store owns table fhir_store.foreign_one',
          'missing: analytics_export has SELECT on table fhir_store.foreign_one',
        ],
      ],
      [
        'set role fhir_store; create table fhir_store.t (id int); reset role; grant insert on fhir_store.t to analytics_export',
        ['not expected: analytics_export has INSERT on table fhir_store.t'],
      ],
      [
        'set role fhir_store; create table fhir_store.t (id int); revoke select on fhir_store.t from analytics_export; reset role',
        ['missing: analytics_export has SELECT on table fhir_store.t'],
      ],
      [
        'set role auth; create table auth.t (id int, name text); grant select (name) on auth.t to search; reset role',
        ['not expected: search has SELECT on column auth.t.name'],
      ],
      [
        'set role auth; create sequence auth.s; grant usage on sequence auth.s to public; reset role',
        ['not expected: PUBLIC has USAGE on sequence auth.s'],
      ],
      [
        `set role auth; create function auth.f(a int) returns int language sql security definer as 'select 1';
        grant execute on function auth.f to public; reset role`,
        [
          'not expected: PUBLIC has EXECUTE on function auth.f(a integer)',
          'not expected: function auth.f(a integer) runs with the privileges of its owner',
        ],
      ],
      [
        'alter default privileges for role auth grant execute on functions to public',
        ['not expected: PUBLIC has EXECUTE on each function that auth creates'],
      ],
      [
        'alter default privileges for role auth in schema auth grant select on tables to search with grant option',
        ['not expected: search has SELECT on each table that auth creates in auth, and may grant it'],
      ],
      [
        'alter default privileges for role fhir_store in schema fhir_store_keys revoke select on tables from analytics_export',
        ['missing: analytics_export has SELECT on each table that fhir_store creates in fhir_store_keys'],
      ],
      ['grant select on pg_authid to search', ['not expected: the privileges of pg_catalog.pg_authid were changed']],
      [
        'grant execute on function pg_read_file(text) to search',
        ['not expected: the privileges of pg_catalog.pg_read_file were changed'],
      ],
      [
        'create policy hide on audit.block using (false); alter table audit.block disable trigger block_of_own_stream',
        expect.arrayContaining([
          'changed in the audit log: policy hide of block',
          'changed in the audit log: trigger block_of_own_stream of block',
        ]) as string[],
      ],
      ['grant set on parameter log_statement to search', ['not expected: search has SET on parameter log_statement']],
    ])('are compared with one table: %s', async (sql, problems) => {
      const found = await changed(sql);
      expect(found.map((problem) => problem.replace(`${superuser} owns`, 'superuser owns'))).toEqual(problems);
    });
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
    await provisionWhenReachable({ DATABASE_URL: through.href }, passwords);
    expect([ended, attempts > 2]).toEqual([1, true]);
    proxy.close();
    await drop();
  });

  it('gives up at once when the server refuses the credentials', async () => {
    const { url, drop } = await createDatabase();
    const wrong = Object.assign(new URL(url), { username: 'nobody_here', password: 'wrong' });
    await expect(provisionWhenReachable({ DATABASE_URL: wrong.href }, passwords)).rejects.toThrow(
      /authentication failed/,
    );
    await drop();
  });
});
