import { waitUntil } from '@tributary/test-environment';
import { createLog } from '@tributary/service-kit';
import { AuthUnderTest, anyUser } from '../../test/auth-under-test';
import { deleteExpired, startExpirySweep } from './expiry-sweep';
import { tokenHash } from './opaque-token';

describe('the expiry sweep', () => {
  let auth: AuthUnderTest;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
  });
  afterAll(() => auth.stop());

  const sweep = (): Promise<void> => deleteExpired(auth.pool);
  const count = async (table: string): Promise<number> =>
    Number((await auth.pool.query(`SELECT count(*) FROM ${table}`)).rows[0]?.count);

  it('deletes expired rows and no others', async () => {
    const client = await auth.client();
    const [unused, expired, living] = [
      await auth.code(client, anyUser()),
      await auth.tokens(client),
      await auth.tokens(client),
    ];
    await auth.code(client, anyUser());
    const { body: next } = await auth.refresh(client, living.refresh_token);
    await auth.pool.query(`UPDATE token_family SET expires_at = now() - interval '1 s' WHERE code_sha256 = $1`, [
      tokenHash(unused),
    ]);
    await auth.pool.query(
      `UPDATE token_family SET expires_at = now() - interval '1 s' WHERE id = (SELECT id FROM token_family WHERE refresh_sha256 = $1)`,
      [tokenHash(expired.refresh_token)],
    );
    await auth.pool.query(`UPDATE access_token SET expires_at = now() - interval '1 s' WHERE token_sha256 = $1`, [
      tokenHash(living.access_token),
    ]);
    await Promise.all([sweep(), sweep()]);
    await sweep();
    expect([await count('token_family'), await count('access_token')]).toEqual([2, 1]);
    expect(await auth.isActive(next.access_token)).toBe(true);
    expect((await auth.refresh(client, living.refresh_token)).body.error).toBe('invalid_grant');
    expect(await auth.isActive(next.access_token)).toBe(false);
  });

  it('deletes expired system tokens and used assertions', async () => {
    const { client_id } = await auth.client('Warehouse');
    await auth.pool.query(
      `INSERT INTO system_access_token (token_sha256, client_id, scope, expires_at) SELECT sha256(n::text::bytea), $1, 'system/*.rs', now() + n * interval '1 s' FROM unnest('{-1, 100}'::int[]) AS n`,
      [client_id],
    );
    await auth.pool.query(
      `INSERT INTO used_assertion (client_id, jti_sha256, expires_at) SELECT $1, sha256(n::text::bytea), now() + n * interval '1 s' FROM unnest('{-1, 100}'::int[]) AS n`,
      [client_id],
    );
    await sweep();
    expect([await count('system_access_token'), await count('used_assertion')]).toEqual([1, 1]);
  });

  it('deletes more rows than a batch holds', async () => {
    await auth.client('Many');
    await auth.pool.query(`
      INSERT INTO token_family (client_id, service_user_id, scope, code_sha256, code_expires_at, expires_at)
      SELECT (SELECT client_id FROM client_application LIMIT 1), n, 'user', sha256(n::text::bytea), now(), now() - interval '1 s' FROM generate_series(1, 4500) AS n`);
    const before = await count('token_family');
    await sweep();
    expect(before - (await count('token_family'))).toBe(4500);
  });

  it('deletes nothing while another replica sweeps', async () => {
    const client = await auth.client();
    const code = await auth.code(client, anyUser());
    await auth.pool.query(`UPDATE token_family SET expires_at = now() - interval '1 s' WHERE code_sha256 = $1`, [
      tokenHash(code),
    ]);
    const other = await auth.pool.connect();
    await other.query('BEGIN');
    await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('auth expiry sweep', 0))`);
    const before = await count('token_family');
    await sweep();
    expect(await count('token_family')).toBe(before);
    await other.query('ROLLBACK');
    other.release();
    await sweep();
    expect(await count('token_family')).toBeLessThan(before);
  });

  it('runs at start, and stops', async () => {
    const client = await auth.client();
    const code = await auth.code(client, anyUser());
    await auth.pool.query(`UPDATE token_family SET expires_at = now() - interval '1 s' WHERE code_sha256 = $1`, [
      tokenHash(code),
    ]);
    const task = startExpirySweep(auth.pool, createLog('auth', 'silent'));
    const family = 'SELECT FROM token_family WHERE code_sha256 = $1';
    await waitUntil(async () => (await auth.pool.query(family, [tokenHash(code)])).rowCount === 0);
    await task.stop();
  });
});
