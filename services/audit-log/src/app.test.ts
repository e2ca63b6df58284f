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

it('tells a client its use of limits, and asking uses nothing', async () => {
  const under = await AuditLogUnderTest.start({ RATE_LIMITS: 'audit-client=5/86400' });
  try {
    const [client, other] = [under.newClient(), under.newClient()];
    const usage = async (headers: Record<string, string>): Promise<object> => {
      const { status, text } = await under.get('/audit/v1/usage', headers);
      expect(status).toBe(200);
      return JSON.parse(text) as object;
    };
    const left = (remaining: number): object => ({
      success: true,
      entry: [expect.objectContaining({ name: 'audit-client', quota: 5, window_seconds: 86_400, remaining })],
    });
    for (let i = 0; i < 3; i++) expect(await usage({ ...client })).toEqual(left(5));
    for (let i = 0; i < 2; i++) await under.get('/audit/r4/AuditEvent', client);
    for (let i = 0; i < 3; i++) expect(await usage({ ...client })).toEqual(left(3));
    expect(await usage({ ...other })).toEqual(left(5));
  } finally {
    await under.stop();
  }
});
