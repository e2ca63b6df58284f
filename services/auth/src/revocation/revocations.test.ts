import { type TokenRevocation, tokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import { createLog, openRedis, untilReady } from '@tributary/service-kit';
import { testRedis, waitUntil } from '@tributary/test-environment';
import { Redis } from 'ioredis';
import { AuthUnderTest, anyUser, credentials } from '../../test/auth-under-test';
import type { ClientWithSecret } from '../clients/client-applications';
import { tokenHash } from '../tokens/opaque-token';
import { RevocationOutbox } from './revocation-outbox';

const log = createLog('auth', 'silent');

describe('revocations', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  let subscriber: Redis;
  const received: TokenRevocation[] = [];
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client();
    subscriber = new Redis(testRedis().url);
    await subscriber.subscribe(tokenRevocationChannel);
    subscriber.on('message', (_channel, message: string) => received.push(tokenRevocation.parse(JSON.parse(message))));
  });
  afterAll(async () => {
    subscriber.disconnect();
    await auth.stop();
  });

  const revokeUser = (user: number) => auth.internal('delete', `/internal/v1/users/${user}/tokens`);
  const published = (token: string): string => tokenHash(token).toString('base64url');

  /** Waits for a published revocation, which can arrive after the response. */
  function isReceived(matches: (revocation: TokenRevocation) => boolean): Promise<true> {
    return waitUntil(() => received.some(matches));
  }
  const hashesReceived = (...tokens: string[]): Promise<boolean> =>
    isReceived(
      (revocation) =>
        'token_sha256' in revocation && tokens.every((token) => revocation.token_sha256.includes(published(token))),
    );

  it('end every code and token of the user, and of no other user', async () => {
    const [user, neighbour] = [anyUser(), anyUser()];
    const [unused, first, second, others] = [
      await auth.code(client, user),
      await auth.tokens(client, user),
      await auth.tokens(client, user),
      await auth.tokens(client, neighbour),
    ];
    expect((await revokeUser(user)).status).toBe(204);
    expect(await Promise.all([first, second, others].map((one) => auth.isActive(one.access_token)))).toEqual([
      false,
      false,
      true,
    ]);
    expect((await auth.exchange(client, unused)).body.error).toBe('invalid_grant');
    expect((await auth.refresh(client, first.refresh_token)).body.error).toBe('invalid_grant');
    expect(
      await isReceived((revocation) => 'service_user_id' in revocation && revocation.service_user_id === user),
    ).toBe(true);
    expect((await revokeUser(user)).status).toBe(204);
    expect((await auth.exchange(client, await auth.code(client, user))).status).toBe(200);
  });

  it('are published after the commit and before the response', async () => {
    const { access_token } = await auth.tokens(client);
    const seen: (boolean | string)[] = [];
    const publish = auth.redis.publish.bind(auth.redis);
    const spy = jest.spyOn(auth.redis, 'publish').mockImplementation(async (channel, message) => {
      seen.push(await auth.isActive(access_token));
      return publish(channel, message);
    });
    await auth.post('/oauth2/revoke', { ...credentials(client), token: access_token });
    seen.push('answered');
    spy.mockRestore();
    // The relay may publish it a second time.
    expect([seen.length >= 2, seen.at(-1), seen.includes(true)]).toEqual([true, 'answered', false]);
    expect(await hashesReceived(access_token)).toBe(true);
  });

  it('of a family publish all its active access tokens', async () => {
    const code = await auth.code(client, anyUser());
    const { body: first } = await auth.exchange(client, code);
    const { body: second } = await auth.refresh(client, first.refresh_token);
    await auth.exchange(client, code);
    expect(await hashesReceived(first.access_token, second.access_token)).toBe(true);
  });

  it('win over a concurrent code exchange or refresh', async () => {
    for (let round = 0; round < 15; round++) {
      const user = anyUser();
      const [code, earlier] = [await auth.code(client, user), await auth.tokens(client, user)];
      const [exchanged, refreshed, ...revocations] = await Promise.all([
        auth.exchange(client, code),
        auth.refresh(client, earlier.refresh_token, 1),
        revokeUser(user),
        revokeUser(user),
      ]);
      expect(revocations.map(({ status }) => status)).toEqual([204, 204]);
      const { rows } = await auth.pool.query('SELECT FROM token_family WHERE service_user_id = $1', [user]);
      expect(rows).toHaveLength(0);
      for (const answer of [exchanged, refreshed]) {
        if (answer.status === 200) expect(await auth.isActive(answer.body.access_token)).toBe(false);
        else expect(answer.body.error).toBe('invalid_grant');
      }
    }
  });

  it('never deadlock with refreshes, reuse and each other', async () => {
    const user = anyUser();
    const families = await Promise.all(Array.from({ length: 6 }, () => auth.tokens(client, user)));
    const answers = await Promise.all([
      ...families.flatMap(({ refresh_token }, i) => [
        auth.refresh(client, refresh_token, i % 2),
        auth.refresh(client, refresh_token),
        auth.post('/oauth2/revoke', { ...credentials(client), token: refresh_token }),
      ]),
      revokeUser(user),
      revokeUser(user),
    ]);
    // An overloaded machine may answer 503.
    expect(answers.filter(({ status }) => status >= 500 && status !== 503)).toEqual([]);
    const { rows } = await auth.pool.query<{ deadlocks: number }>(
      'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });

  it('of services are answered with 503 while Redis is down, and published when it is back', async () => {
    const alone = await AuthUnderTest.start();
    try {
      const [itsClient, user] = [await alone.client(), anyUser()];
      const { access_token } = await alone.tokens(itsClient);
      const { access_token: ofUser } = await alone.tokens(itsClient, user);
      alone.redis.disconnect();
      const revocation = () => alone.post('/oauth2/revoke', { ...credentials(itsClient), token: access_token });
      const answers = [
        await revocation(),
        await revocation(),
        await alone.internal('delete', `/internal/v1/users/${user}/tokens`),
      ];
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
      expect(answers.map(({ headers }) => headers['retry-after'])).toEqual(['2', '2', '2']);
      // The credentials of a client are not verified without limits, so its revocation was not carried out.
      expect([await alone.isActive(access_token), await alone.isActive(ofUser)]).toEqual([true, false]);
      await alone.redis.connect();
      expect(await isReceived((one) => 'service_user_id' in one && one.service_user_id === user)).toBe(true);
      expect((await revocation()).status).toBe(200);
      expect(await hashesReceived(access_token)).toBe(true);
      expect(await alone.isActive(access_token)).toBe(false);
    } finally {
      await alone.stop();
    }
  });

  it('are published by another replica when the process that committed them has ended', async () => {
    const dying = await AuthUnderTest.start();
    const successor = openRedis(testRedis().url, log);
    await untilReady(successor);
    const outbox = new RevocationOutbox(dying.pool, successor, log);
    try {
      const [itsClient, user] = [await dying.client(), anyUser()];
      await dying.tokens(itsClient, user);
      dying.redis.disconnect();
      expect((await dying.internal('delete', `/internal/v1/users/${user}/tokens`)).status).toBe(503);
      await dying.pool.query(
        `INSERT INTO revocation_outbox (message, created_at) VALUES ('{"service_user_id": 1}', now() - interval '2 minutes')`,
      );
      // A row that cannot be read does not keep back the others.
      await dying.pool.query(`INSERT INTO revocation_outbox (message) VALUES ('{"unknown": 1}')`);
      outbox.start();
      expect(await isReceived((one) => 'service_user_id' in one && one.service_user_id === user)).toBe(true);
      // A row that is older than any cached token is deleted without being published.
      await waitUntil(async () => (await dying.pool.query('SELECT FROM revocation_outbox')).rowCount === 0);
      expect(received).not.toContainEqual({ service_user_id: 1 });
    } finally {
      await outbox.stop();
      successor.disconnect();
      await dying.stop();
    }
  });

  it('of a user end any number of families', async () => {
    const user = anyUser();
    await auth.pool.query(
      `INSERT INTO token_family (client_id, service_user_id, scope, code_sha256, code_expires_at, expires_at)
       SELECT $1, $2, 'user', sha256(($2::bigint || ' ' || n)::bytea), now(), now() + interval '1 day' FROM generate_series(1, 2500) AS n`,
      [client.client_id, user],
    );
    expect((await revokeUser(user)).status).toBe(204);
    expect((await auth.pool.query('SELECT FROM token_family WHERE service_user_id = $1', [user])).rowCount).toBe(0);
  });
});
