import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { waitUntil } from '@tributary/test-environment';
import { createLog } from '@tributary/service-kit';
import type OAuth2Server from 'oauth2-server';
import type { ClientWithSecret } from '../clients/client-applications';
import { RevocationOutbox } from '../revocation/revocation-outbox';
import { Revocations } from '../revocation/revocations';
import { AuthUnderTest, anyUser } from '../../test/auth-under-test';
import { AuthorizationCodes } from '../tokens/authorization-codes';
import { RefreshTokens } from '../tokens/refresh-tokens';
import { newTokenPair } from '../tokens/token-pair';
import { authorizationCodeGrant } from './authorization-code-grant';
import { refreshTokenGrant } from './refresh-token-grant';
import { type GrantParameters, TokenRequest, isAbandoned } from './token-request';

describe('isAbandoned', () => {
  it('becomes true when the client closes the connection, or its side of it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    for (const leave of ['destroy', 'end'] as const) {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
      expect(isAbandoned(response)).toBe(false);
      client[leave]();
      await waitUntil(() => isAbandoned(response));
      client.destroy();
    }
    server.closeAllConnections();
    server.close();
  });
});

describe('an abandoned token request', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client();
  });
  afterAll(() => auth.stop());

  /** Runs a grant as the token endpoint does, for a request whose client has left. */
  function handleAbandoned(parameters: GrantParameters): Promise<unknown> {
    const log = createLog('auth', 'silent');
    const revocations = new Revocations(auth.pool, new RevocationOutbox(auth.pool, auth.redis, log), log);
    const Grant = (parameters.code === undefined
      ? refreshTokenGrant(new RefreshTokens(auth.pool), revocations)
      : authorizationCodeGrant(new AuthorizationCodes(auth.pool, 365), revocations)) as unknown as new (
      options: object,
    ) => OAuth2Server.AbstractGrantType;
    const requester = { clientId: client.client_id, authenticatedBy: 'secret' as const };
    return new Grant({ model: {}, accessTokenLifetime: 1 }).handle(
      new TokenRequest(parameters, requester, () => true),
      { id: client.client_id, grants: [] },
    );
  }

  it('does not count as reuse of the refresh token', async () => {
    const first = await auth.tokens(client);
    const second = (await auth.refresh(client, first.refresh_token)).body as typeof first;
    expect(await auth.isActive(second.access_token)).toBe(true);
    await expect(handleAbandoned({ refresh_token: first.refresh_token })).rejects.toThrow(
      'refresh_token: it has been replaced before',
    );
    expect(await auth.isActive(second.access_token)).toBe(true);
    expect((await auth.refresh(client, second.refresh_token)).status).toBe(200);
  });

  it('does not use up the refresh token', async () => {
    const { refresh_token } = await auth.tokens(client);
    await expect(handleAbandoned({ refresh_token })).rejects.toThrow('did not wait');
    expect((await auth.refresh(client, refresh_token)).status).toBe(200);
  });

  it('does not use up the code', async () => {
    const code = await auth.code(client, anyUser());
    await expect(handleAbandoned({ code })).rejects.toThrow('did not wait');
    expect((await auth.exchange(client, code)).status).toBe(200);
  });

  it('does not withdraw the pair of a later request with the same refresh token', async () => {
    const first = await auth.tokens(client);
    const received = (await auth.refresh(client, first.refresh_token)).body as typeof first;
    const pair = newTokenPair(first.refresh_token);
    expect(await new RefreshTokens(auth.pool).rotate(first.refresh_token, client.client_id, pair, () => true)).toEqual({
      outcome: 'refused',
    });
    expect(await auth.isActive(received.access_token)).toBe(true);
  });

  it('does not count as replay of the code', async () => {
    const code = await auth.code(client, anyUser());
    const tokens = (await auth.exchange(client, code)).body as { access_token: string };
    await expect(handleAbandoned({ code })).rejects.toThrow('code: it has been used before');
    expect(await auth.isActive(tokens.access_token)).toBe(true);
  });
});
