import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { databaseConfig } from '@tributary/service-kit';
import { startTcpProxy, waitUntil } from '@tributary/test-environment';
import type { ClientWithSecret } from '../clients/client-applications';
import { AuthProcess } from '../../test/auth-process';
import { AuthUnderTest, anyUser, credentials } from '../../test/auth-under-test';
import { newToken, tokenHash } from './opaque-token';
import { newRefreshToken } from './refresh-token-format';
import { RefreshTokens } from './refresh-tokens';

interface Tokens {
  access_token: string;
  refresh_token: string;
}

describe('a refresh token that is presented again', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client();
  });
  afterAll(() => auth.stop());

  const refreshed = async (token: string, replica = 0): Promise<Tokens> => {
    const answer = await auth.refresh(client, token, replica);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return answer.body as Tokens;
  };
  const refusal = async (token: string): Promise<string> => String((await auth.refresh(client, token)).body.error);
  const introspected = async (token: string): Promise<boolean> =>
    (await auth.post('/oauth2/introspect', { ...credentials(client), token })).body.active as boolean;
  const age = (token: string, seconds: number) =>
    auth.pool.query(`UPDATE token_family SET rotated_at = rotated_at - $2 * interval '1 s' WHERE refresh_sha256 = $1`, [
      tokenHash(token),
      seconds,
    ]);

  it('returns another pair while the previous pair is unused, and withdraws the previous pair', async () => {
    const first = await auth.tokens(client);
    const lost = await refreshed(first.refresh_token);
    const lostAgain = await refreshed(first.refresh_token, 1);
    const received = await refreshed(first.refresh_token);
    expect(
      await Promise.all([lost, lostAgain, received, first].map(({ access_token }) => auth.isActive(access_token))),
    ).toEqual([false, false, true, true]);
    expect(await auth.isActive((await refreshed(received.refresh_token)).access_token)).toBe(true);
  });

  it.each<[string, (pair: Tokens) => Promise<unknown>]>([
    ['a service asked about the access token', ({ access_token }) => auth.isActive(access_token)],
    ['the client introspected the access token', ({ access_token }) => introspected(access_token)],
    ['the client introspected the refresh token', ({ refresh_token }) => introspected(refresh_token)],
    ['the refresh token of the pair was used', ({ refresh_token }) => refreshed(refresh_token)],
    ['a minute has passed', ({ refresh_token }) => age(refresh_token, 60)],
  ])('revokes its family after %s', async (_case, use) => {
    const first = await auth.tokens(client);
    const second = await refreshed(first.refresh_token);
    await use(second);
    expect(await refusal(first.refresh_token)).toBe('invalid_grant');
    expect(await Promise.all([first, second].map(({ access_token }) => auth.isActive(access_token)))).toEqual([
      false,
      false,
    ]);
    expect(await refusal(second.refresh_token)).toBe('invalid_grant');
  });

  it('has a grace period of one minute from the first rotation, not from the last', async () => {
    const first = await auth.tokens(client);
    await age((await refreshed(first.refresh_token)).refresh_token, 40);
    await age((await refreshed(first.refresh_token)).refresh_token, 40);
    expect(await refusal(first.refresh_token)).toBe('invalid_grant');
  });

  it('counts as reused when it was withdrawn', async () => {
    const first = await auth.tokens(client);
    const ofVictim = await refreshed(first.refresh_token);
    const ofThief = await refreshed(first.refresh_token);
    expect(await auth.isActive(ofVictim.access_token)).toBe(false);
    expect(await refusal(ofVictim.refresh_token)).toBe('invalid_grant');
    expect(await auth.isActive(ofThief.access_token)).toBe(false);
    expect(await refusal(ofThief.refresh_token)).toBe('invalid_grant');
  });

  it('can be retried although the previous access token is used', async () => {
    const first = await auth.tokens(client);
    await refreshed(first.refresh_token);
    expect(await auth.isActive(first.access_token)).toBe(true);
    expect(await auth.isActive((await refreshed(first.refresh_token)).access_token)).toBe(true);
  });

  it('does not revoke a family when the presented token was never issued', async () => {
    const { refresh_token, access_token } = await auth.tokens(client);
    for (const invented of [newRefreshToken(), newToken(), refresh_token.slice(0, 43), `${refresh_token}x`])
      expect(await refusal(invented)).toBe('invalid_grant');
    expect(await auth.isActive(access_token)).toBe(true);
    await refreshed(refresh_token);
  });

  it('and the first use of its pair exclude each other', async () => {
    for (let round = 0; round < 15; round++) {
      const first = await auth.tokens(client);
      const second = await refreshed(first.refresh_token);
      const [isActive, again] = await Promise.all([
        auth.isActive(second.access_token),
        auth.refresh(client, first.refresh_token, 1),
      ]);
      // Either the use came first, and the second request is reuse, which may end the family before the use is
      // answered; or the second request came first, and the pair was withdrawn before it was used.
      expect(isActive ? [400] : [200, 400]).toContain(again.status);
      expect(await auth.isActive(second.access_token)).toBe(false);
    }
  });

  it('ends with its family after a year, and so does the access token of the last pair', async () => {
    const first = await auth.tokens(client);
    const { rows } = await auth.pool.query<{ days: number }>(
      'SELECT extract(epoch FROM ends_at - code_used_at)::float8 / 86400 AS days FROM token_family WHERE refresh_sha256 = $1',
      [tokenHash(first.refresh_token)],
    );
    expect(rows[0]?.days).toBeCloseTo(365, 2);
    const endIn = (token: string, seconds: number) =>
      auth.pool.query(
        `UPDATE token_family SET ends_at = now() + $2 * interval '1 s', expires_at = LEAST(expires_at, now() + $2 * interval '1 s')
         WHERE refresh_sha256 = $1`,
        [tokenHash(token), seconds],
      );
    await endIn(first.refresh_token, 1000);
    const lost = await auth.refresh(client, first.refresh_token);
    const received = await auth.refresh(client, first.refresh_token);
    for (const { body } of [lost, received]) {
      expect(body.expires_in).toBeGreaterThan(900);
      expect(body.expires_in).toBeLessThanOrEqual(1000);
    }
    for (const token of [received.body.access_token, received.body.refresh_token] as string[]) {
      const { body } = await auth.post('/oauth2/introspect', { ...credentials(client), token });
      expect(body.exp).toBeLessThanOrEqual(Date.now() / 1000 + 1000);
    }
    await endIn((received.body as Tokens).refresh_token, -1);
    expect(await refusal((received.body as Tokens).refresh_token)).toBe('invalid_grant');
  });

  it('leaves one row per family', async () => {
    const user = anyUser();
    let { refresh_token } = await auth.tokens(client, user);
    for (let n = 0; n < 5; n++) refresh_token = (await refreshed(refresh_token)).refresh_token;
    expect((await auth.pool.query('SELECT FROM token_family WHERE service_user_id = $1', [user])).rowCount).toBe(1);
  });

  it('withdraws nothing for an abandoned request that was delayed', async () => {
    const first = await auth.tokens(client);
    const proxy = await startTcpProxy(auth.databaseUrl);
    const slow = await AuthUnderTest.start({ database: databaseConfig.parse({ DATABASE_URL: proxy.url }) });
    const server = createServer(slow.publicApp).listen(0, '127.0.0.1');
    const rotations = jest.spyOn(RefreshTokens.prototype, 'rotate');
    try {
      await once(server, 'listening');
      const left = new Promise((resolve) =>
        server.once('request', (request: IncomingMessage) => request.socket.once('close', resolve)),
      );
      const giveUp = new AbortController();
      const body = new URLSearchParams({
        ...credentials(client),
        grant_type: 'refresh_token',
        refresh_token: first.refresh_token,
      });
      proxy.holdFrom('rotate-refresh-token', 'requests');
      const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth2/token`, {
        method: 'POST',
        body,
        signal: giveUp.signal,
      });
      const lost = answer.then(
        ({ status }) => status,
        () => 'lost',
      );
      await waitUntil(() => rotations.mock.results.length > 0);
      const second = await refreshed(first.refresh_token);
      giveUp.abort();
      expect(await lost).toBe('lost');
      await left;
      proxy.resume();
      expect(await rotations.mock.results[0]!.value).toEqual({ outcome: 'refused' });
      expect(await auth.isActive(second.access_token)).toBe(true);
      await refreshed(second.refresh_token);
    } finally {
      rotations.mockRestore();
      server.closeAllConnections();
      server.close();
      await slow.stop();
      await proxy.close();
    }
  });

  it('can be retried when auth was killed between the commit and the response', async () => {
    const proxy = await startTcpProxy(auth.databaseUrl);
    const killed = await AuthProcess.start(proxy.url);
    try {
      const first = await auth.tokens(client);
      proxy.holdFrom('rotate-refresh-token', 'responses');
      const body = new URLSearchParams({
        ...credentials(client),
        grant_type: 'refresh_token',
        refresh_token: first.refresh_token,
      });
      const answer = fetch(`${killed.publicUrl}/oauth2/token`, { method: 'POST', body }).then(
        ({ status }) => status,
        () => 'lost',
      );
      const committed = async (): Promise<boolean> =>
        (
          await auth.pool.query('SELECT FROM token_family WHERE previous_refresh_sha256 = $1', [
            tokenHash(first.refresh_token),
          ])
        ).rowCount === 1;
      await waitUntil(committed);
      await killed.kill();
      expect(await answer).toBe('lost');
      const second = await refreshed(first.refresh_token);
      expect(await auth.isActive(second.access_token)).toBe(true);
      expect(await auth.isActive((await refreshed(second.refresh_token)).access_token)).toBe(true);
      expect(await refusal(first.refresh_token)).toBe('invalid_grant');
    } finally {
      await killed.kill();
      await proxy.close();
    }
  });
});
