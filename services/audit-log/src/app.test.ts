import { AuditLogUnderTest } from '../test/audit-log-under-test';

it('stores its time limits on its role for a transaction pooler', async () => {
  const under = await AuditLogUnderTest.start({
    DATABASE_POOLER: 'transaction',
    DATABASE_STATEMENT_TIMEOUT_MS: '12345',
  });
  const { rows } = await under.superuser.query<{ setting: string }>(
    `SELECT unnest(setconfig) AS setting FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase
     WHERE datname = current_database() AND setrole = $1::regrole`,
    [new URL(under.reader.url).username],
  );
  expect(rows.map(({ setting }) => setting)).toEqual(
    expect.arrayContaining(['search_path=audit, public', 'statement_timeout=12345']),
  );
  const client = under.newClient();
  expect((await under.get('/audit/r4/AuditEvent', client)).status).toBe(200);
  await under.stop();
});
