import { databaseConfig } from '@tributary/service-kit';
import { type TestDatabase, type TcpProxy, createDatabase, startTcpProxy } from '@tributary/test-environment';
import type { Test } from 'supertest';
import type { ClientWithSecret } from './clients/client-applications';
import { AuthUnderTest, anyUser, credentials } from '../test/auth-under-test';

describe('while the database is unavailable', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  beforeEach(async () => {
    database = await createDatabase();
    proxy = await startTcpProxy(database.url);
    // Far longer than the request takes on a busy machine.
    const limits = {
      DATABASE_CONNECT_TIMEOUT_MS: 10_000,
      DATABASE_STATEMENT_TIMEOUT_MS: 10_000,
      DATABASE_POOL_SIZE: 8,
    };
    auth = await AuthUnderTest.start({ database: databaseConfig.parse({ DATABASE_URL: proxy.url, ...limits }) });
    client = await auth.client();
  });
  afterEach(async () => {
    await proxy.close();
    await auth.stop();
    await database.drop();
  });

  const everyCall = (token: string): Test[] => [
    auth.refresh(client, token),
    auth.exchange(client, token),
    auth.post('/oauth2/introspect', { ...credentials(client), token }),
    auth.post('/oauth2/revoke', { ...credentials(client), token }),
    auth.internal('post', '/internal/v1/tokens/introspect', { tokens: [token] }),
    auth.internal('post', '/internal/v1/codes', { client_id: client.client_id, service_user_id: anyUser() }),
    auth.internal('get', `/internal/v1/clients/${client.client_id}`),
  ];
  const outcomes = async (token: string): Promise<unknown[]> =>
    (await Promise.all(everyCall(token))).map(({ status, headers }) => [status, headers['retry-after']]);

  it.each([
    ['when connections are refused', () => proxy.close()],
    ['when connections hang', () => proxy.hang()],
  ])('%s, every call is answered with 503 and Retry-After, or 502 if it may have an effect', async (_why, fail) => {
    const { refresh_token } = await auth.tokens(client);
    await fail();
    const all = (await outcomes(refresh_token)).map(String);
    expect(all.at(-1)).toBe('503,2');
    expect(all.filter((outcome) => !['503,2', '502,'].includes(outcome))).toEqual([]);
  });

  it('when a lock is not released in time, the refresh is answered with 503 and works afterwards', async () => {
    const user = anyUser();
    const { refresh_token } = await auth.tokens(client, user);
    const blocker = await auth.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM token_family WHERE service_user_id = $1 FOR UPDATE', [user]);
    const { status, headers } = await auth.refresh(client, refresh_token);
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    await blocker.query('ROLLBACK');
    blocker.release();
    expect((await auth.refresh(client, refresh_token)).status).toBe(200);
  });
});
