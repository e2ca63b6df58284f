import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createLog } from '@tributary/service-kit';
import type { ClientWithSecret } from '../clients/client-applications';
import { RevocationChannel } from '../revocations/revocation-channel';
import { Revocations } from '../revocations/revocations';
import { AuthUnderTest, anyUser } from '../testing/auth-under-test';
import { AuthorizationCodes } from '../tokens/authorization-codes';
import { newToken } from '../tokens/opaque-token';
import { newRefreshToken } from '../tokens/refresh-token';
import { RefreshTokens } from '../tokens/refresh-tokens';
import { isAbandoned } from './abandoned-request';
import { TokenGrants } from './token-grants';

describe('isAbandoned', () => {
  it('becomes true when the client leaves, also when it only ends its side of the connection', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    for (const leave of ['destroy', 'end'] as const) {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
      expect(isAbandoned(response)).toBe(false);
      client[leave]();
      while (!isAbandoned(response)) await pause(5);
      client.destroy();
    }
    server.closeAllConnections();
    server.close();
  });
});

describe('a token request whose client has left', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client();
  });
  afterAll(() => auth.stop());

  function grants(): TokenGrants {
    const log = createLog('auth', 'silent');
    const stores = {
      codes: new AuthorizationCodes(auth.pool),
      refreshTokens: new RefreshTokens(auth.pool),
      revocations: new Revocations(auth.pool, new RevocationChannel(auth.pool, auth.redis, log), log),
    };
    return new TokenGrants(stores, { clientId: client.client_id, authenticatedBy: 'secret' }, () => true);
  }

  it('is not taken for reuse: the client has sent it again since, and got an answer', async () => {
    const first = await auth.tokens(client);
    const second = (await auth.refresh(client, first.refresh_token)).body as typeof first;
    expect(await auth.isActive(second.access_token)).toBe(true);
    expect(await grants().getRefreshToken(first.refresh_token)).toBeUndefined();
    expect(await auth.isActive(second.access_token)).toBe(true);
    expect((await auth.refresh(client, second.refresh_token)).status).toBe(200);
  });

  it('does not spend the refresh token', async () => {
    const { refresh_token } = await auth.tokens(client);
    const held = grants();
    const found = await held.getRefreshToken(refresh_token);
    await held.revokeToken(found!);
    const pair = { accessToken: await held.generateAccessToken(), refreshToken: await held.generateRefreshToken() };
    await expect(
      held.saveToken({ ...pair, client: found!.client, user: found!.user }, found!.client, found!.user),
    ).rejects.toThrow('did not wait');
    expect((await auth.refresh(client, refresh_token)).status).toBe(200);
  });

  it('does not withdraw the pair that the client got when it sent the token again', async () => {
    const first = await auth.tokens(client);
    const received = (await auth.refresh(client, first.refresh_token)).body as typeof first;
    const pair = { accessToken: newToken(), refreshToken: newRefreshToken() };
    expect(await new RefreshTokens(auth.pool).rotate(first.refresh_token, client.client_id, pair, () => true)).toEqual({
      outcome: 'refused',
    });
    expect(await auth.isActive(received.access_token)).toBe(true);
  });

  it('is not taken for a second use of a code', async () => {
    const code = await auth.code(client, anyUser());
    const tokens = (await auth.exchange(client, code)).body as { access_token: string };
    expect(await grants().getAuthorizationCode(code)).toBeUndefined();
    expect(await auth.isActive(tokens.access_token)).toBe(true);
  });
});
