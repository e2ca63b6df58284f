import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Introspection, tokenRevocationChannel } from '@tributary/contracts';
import { type TcpProxy, startTcpProxy, testRedis, waitUntil } from '@tributary/test-environment';
import { type RedisClient, openRedis, untilReady } from '../databases/redis';
import { createLog } from '../runtime/log';
import { rateLimitConfig } from '../rate-limit/rate-limit-policies';
import { RateLimits } from '../rate-limit/rate-limits';
import { proxyRanges } from '../transport/client-address';
import { AccessTokens } from './access-tokens';
import { FailedTokens } from './failed-tokens';

const log = createLog('test', 'silent');
/** Unlike the users of other test files, whose revocations have the same channel. */
const anyUser = (): number => 1 + randomBytes(6).readUIntBE(0, 6);
const tokenOf = (user: number, n = 0): string => `token-${n}-of-user-${user}`;

/** Auth in memory: each token is active until it is revoked, and it counts how often it was asked. */
class Auth {
  asked = 0;
  readonly revoked = new Set<string>();

  async introspect(tokens: readonly string[]): Promise<Introspection[]> {
    this.asked += tokens.length;
    return tokens.map((token) =>
      this.revoked.has(token)
        ? { active: false }
        : {
            active: true,
            client_id: token.startsWith('token-9') ? 'other' : 'diary',
            mode: 'test',
            service_user_id: Number(token.split('-').at(-1)),
            scope: 'user',
            expires_at: Date.now() / 1000 + 3600,
          },
    );
  }
}

describe('cached access tokens', () => {
  let proxy: TcpProxy;
  let subscriber: RedisClient;
  let publisher: RedisClient;
  let auth: Auth;
  let tokens: AccessTokens;
  beforeEach(async () => {
    proxy = await startTcpProxy(testRedis().url);
    [subscriber, publisher] = [openRedis(proxy.url, log), openRedis(testRedis().url, log)];
    await untilReady(publisher);
    auth = new Auth();
    const { RATE_LIMITS } = rateLimitConfig.parse({ RATE_LIMITS: 'failed-tokens=5/86400' });
    const limits = new RateLimits(publisher, RATE_LIMITS, testRedis().prefix);
    const failures = new FailedTokens(limits, proxyRanges.parse(undefined));
    tokens = new AccessTokens(auth, subscriber, failures);
  });
  afterEach(async () => {
    subscriber.disconnect();
    publisher.disconnect();
    await proxy.close();
  });

  /** Until the token is answered without asking auth. */
  async function untilRemembered(...wanted: string[]): Promise<void> {
    for (const token of wanted)
      await waitUntil(async () => {
        const asked = auth.asked;
        await tokens.resolve(token);
        return asked === auth.asked;
      });
  }

  async function untilForgotten(token: string): Promise<void> {
    await waitUntil(async () => !(await tokens.resolve(token)));
  }

  it('are removed with their user, and no others', async () => {
    const [user, neighbour] = [anyUser(), anyUser()];
    const mine = [tokenOf(user, 1), tokenOf(user, 2), tokenOf(user, 3)];
    await untilRemembered(...mine, tokenOf(neighbour));
    for (const token of mine) auth.revoked.add(token);
    await publisher.publish(tokenRevocationChannel, JSON.stringify({ service_user_id: user }));
    for (const token of mine) await untilForgotten(token);
    const asked = auth.asked;
    expect(await tokens.resolve(tokenOf(neighbour))).toMatchObject({ service_user_id: neighbour });
    expect(auth.asked).toBe(asked);
  });

  it('are served to an address that has sent too many others, whose tokens are not looked up', async () => {
    const from = (address: string): IncomingMessage =>
      ({ headers: {}, socket: { remoteAddress: address } }) as unknown as IncomingMessage;
    const mine = tokenOf(anyUser());
    await untilRemembered(mine);
    const made = Array.from({ length: 6 }, () => tokenOf(anyUser()));
    for (const token of made) auth.revoked.add(token);
    for (const token of made.slice(0, 5)) expect(await tokens.resolve(token, 'id', from('192.0.2.1'))).toBeUndefined();
    const asked = auth.asked;
    await expect(tokens.resolve(made[5]!, 'id', from('192.0.2.1'))).rejects.toMatchObject({
      status: 429,
      errorCode: 'too_many_requests',
    });
    expect(await tokens.resolve(mine, 'id', from('192.0.2.1'))).toBeDefined();
    expect(auth.asked).toBe(asked);
    expect(await tokens.resolve(tokenOf(anyUser()), 'id', from('192.0.2.2'))).toBeDefined();
  });

  it('use up no limit while they are valid', async () => {
    const request = { headers: {}, socket: { remoteAddress: '192.0.2.1' } } as unknown as IncomingMessage;
    for (let i = 0; i < 20; i++) expect(await tokens.resolve(tokenOf(anyUser()), 'id', request)).toBeDefined();
  });

  it('are removed by their hash', async () => {
    const token = tokenOf(anyUser());
    await untilRemembered(token);
    auth.revoked.add(token);
    await publisher.publish(
      tokenRevocationChannel,
      JSON.stringify({ token_sha256: [createHash('sha256').update(token).digest('base64url')] }),
    );
    await untilForgotten(token);
  });

  it('are removed with their client, and no others', async () => {
    const [mine, others] = [tokenOf(anyUser()), tokenOf(anyUser(), 9)];
    await untilRemembered(mine, others);
    auth.revoked.add(mine);
    await publisher.publish(tokenRevocationChannel, JSON.stringify({ client_id: 'diary' }));
    await untilForgotten(mine);
    const asked = auth.asked;
    expect(await tokens.resolve(others)).toMatchObject({ client_id: 'other' });
    expect(auth.asked).toBe(asked);
  });

  it('are removed when the subscription hangs, and cached again when it is back', async () => {
    const token = tokenOf(anyUser());
    await untilRemembered(token);
    proxy.hang();
    // The revocation is never heard: the connection is open, and silent.
    auth.revoked.add(token);
    // The lifetime of the token does not end it.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    await untilForgotten(token);
    clock.mockRestore();
    proxy.resume();
    await untilRemembered(tokenOf(anyUser()));
  });
});
