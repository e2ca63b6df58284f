import { type TokenRevocation, tokenRevocation, tokenRevocationChannel } from '@tributary/contracts';
import { testRedis } from '@tributary/test-environment';
import { Redis } from 'ioredis';
import { AuthUnderTest, anyUser, credentials } from '../testing/auth-under-test';
import type { ClientWithSecret } from '../clients/client-applications';
import { tokenHash } from '../tokens/opaque-token';

describe('revocations', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  let subscriber: Redis;
  const heard: TokenRevocation[] = [];
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client();
    subscriber = new Redis(testRedis().url);
    await subscriber.subscribe(tokenRevocationChannel);
    subscriber.on('message', (_channel, message: string) => heard.push(tokenRevocation.parse(JSON.parse(message))));
  });
  afterAll(async () => {
    subscriber.disconnect();
    await auth.stop();
  });

  const revokeUser = (user: number) => auth.internal('delete', `/internal/v1/users/${user}/tokens`);
  const published = (token: string): string => tokenHash(token).toString('base64url');

  /** Whether a revocation is heard; the subscriber's socket may be read a little after the answer. */
  async function isHeard(matches: (revocation: TokenRevocation) => boolean): Promise<boolean> {
    for (let waited = 0; waited < 5000; waited += 10) {
      if (heard.some(matches)) return true;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return false;
  }
  const hashesHeard = (...tokens: string[]): Promise<boolean> => isHeard((revocation) => 'token_sha256' in revocation && tokens.every((token) => revocation.token_sha256.includes(published(token))));

  it('end every code and token of a user, and nobody else\'s', async () => {
    const [user, neighbour] = [anyUser(), anyUser()];
    const [unused, first, second, others] = [await auth.code(client, user), await auth.tokens(client, user), await auth.tokens(client, user), await auth.tokens(client, neighbour)];
    expect((await revokeUser(user)).status).toBe(204);
    expect(await Promise.all([first, second, others].map((one) => auth.isActive(one.access_token)))).toEqual([false, false, true]);
    expect((await auth.exchange(client, unused)).body.error).toBe('invalid_grant');
    expect((await auth.refresh(client, first.refresh_token)).body.error).toBe('invalid_grant');
    expect(await isHeard((revocation) => 'service_user_id' in revocation && revocation.service_user_id === user)).toBe(true);
    expect((await revokeUser(user)).status).toBe(204);
    expect((await auth.exchange(client, await auth.code(client, user))).status).toBe(200);
  });

  it('are told after they are done and before they are answered', async () => {
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
    expect(seen).toEqual([false, 'answered']);
    expect(await hashesHeard(access_token)).toBe(true);
  });

  it('of a family name all its live access tokens', async () => {
    const code = await auth.code(client, anyUser());
    const { body: first } = await auth.exchange(client, code);
    const { body: second } = await auth.refresh(client, first.refresh_token);
    await auth.exchange(client, code);
    expect(await hashesHeard(first.access_token, second.access_token)).toBe(true);
  });

  it('win over a code exchange or a refresh that runs at the same time', async () => {
    for (let round = 0; round < 15; round++) {
      const user = anyUser();
      const [code, earlier] = [await auth.code(client, user), await auth.tokens(client, user)];
      const [exchanged, refreshed, ...revocations] = await Promise.all([auth.exchange(client, code), auth.refresh(client, earlier.refresh_token, 1), revokeUser(user), revokeUser(user)]);
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
      ...families.flatMap(({ refresh_token }, i) => [auth.refresh(client, refresh_token, i % 2), auth.refresh(client, refresh_token), auth.post('/oauth2/revoke', { ...credentials(client), token: refresh_token })]),
      revokeUser(user),
      revokeUser(user),
    ]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it('are answered with 503 while nobody can be told, and told once Redis is back', async () => {
    const alone = await AuthUnderTest.start();
    try {
      const [itsClient, user] = [await alone.client(), anyUser()];
      const { access_token } = await alone.tokens(itsClient);
      const { access_token: ofUser } = await alone.tokens(itsClient, user);
      alone.redis.disconnect();
      const revocation = () => alone.post('/oauth2/revoke', { ...credentials(itsClient), token: access_token });
      const answers = [await revocation(), await revocation(), await alone.internal('delete', `/internal/v1/users/${user}/tokens`)];
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
      expect(answers.map(({ headers }) => headers['retry-after'])).toEqual(['2', '2', '2']);
      expect([await alone.isActive(access_token), await alone.isActive(ofUser)]).toEqual([false, false]);
      await alone.redis.connect();
      expect(await hashesHeard(access_token)).toBe(true);
      expect(await isHeard((one) => 'service_user_id' in one && one.service_user_id === user)).toBe(true);
      expect((await revocation()).status).toBe(200);
    } finally {
      await alone.stop();
    }
  });

  it('spare a family for those who come while the winner of a refresh still waits to answer, and only for them', async () => {
    const overlapMs = 1500;
    const patient = await AuthUnderTest.start({ refreshOverlapMs: overlapMs });
    try {
      const itsClient = await patient.client();
      const { refresh_token } = await patient.tokens(itsClient);
      const started = performance.now();
      const winner = patient.refresh(itsClient, refresh_token).then((answer) => ({ answer, after: performance.now() - started }));
      while ((await patient.pool.query('SELECT FROM refresh_token WHERE token_sha256 = $1 AND spent_at IS NULL', [tokenHash(refresh_token)])).rowCount === 1) await new Promise((resolve) => setTimeout(resolve, 10));
      const loser = await patient.refresh(itsClient, refresh_token, 1);
      expect(loser.body.error).toBe('invalid_grant');
      const { answer, after } = await winner;
      expect(after).toBeGreaterThan(overlapMs);
      expect(await patient.isActive(answer.body.access_token)).toBe(true);
      expect((await patient.refresh(itsClient, refresh_token)).body.error).toBe('invalid_grant');
      expect(await patient.isActive(answer.body.access_token)).toBe(false);
    } finally {
      await patient.stop();
    }
  });
});
