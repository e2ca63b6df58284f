import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { testRedis } from '@tributary/test-environment';
import { AuthUnderTest } from '../test/auth-under-test';

describe("the program of the operator's commands", () => {
  let auth: AuthUnderTest;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
  });
  afterAll(() => auth.stop());

  function run(words: string[], more: Record<string, string> = {}): { status: number | null; stderr: string } {
    return spawnSync(process.execPath, [join(__dirname, '..', 'dist', 'admin.js'), ...words], {
      env: { PATH: process.env['PATH'], DATABASE_URL: auth.databaseUrl, SANDBOX_MODE: 'true', ...more },
      encoding: 'utf8',
    });
  }

  it('forgets failed attempts of a client with a new secret, where it knows Redis', async () => {
    const { client_id: id } = await auth.client();
    const hash = createHash('sha256').update(id).digest('base64url').slice(0, 22);
    const failures = [`{credentials}:client:${hash}`, `{credentials}:pair:${hash}:192.0.2.1`];
    for (const key of failures) await auth.redis.hset(key, 'failures', '7');
    expect(run(['client', 'rotate-secret', id])).toMatchObject({ status: 0, stderr: '' });
    expect(await auth.redis.exists(...failures)).toBe(2);
    expect(run(['client', 'rotate-secret', id], { REDIS_URL: testRedis().url })).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(await auth.redis.exists(...failures)).toBe(0);
  });
});
