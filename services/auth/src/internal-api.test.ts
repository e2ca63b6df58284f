import { AddressInfo } from 'node:net';
import { type Server, createServer } from 'node:http';
import { once } from 'node:events';
import { AuthClient, InternalCallError, InternalHttp } from '@tributary/contracts';
import request from 'supertest';
import { AuthUnderTest, anyUser, callingService } from '../test/auth-under-test';
import type { ClientWithSecret } from './clients/client-applications';

describe('the internal API', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  let server: Server;
  let caller: AuthClient;
  let stranger: AuthClient;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client('Diary');
    server = createServer(auth.replicas[0]!.internalApp).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    caller = new AuthClient(
      new InternalHttp({ service: 'auth', baseUrl, caller: callingService.name, key: callingService.key }),
    );
    stranger = new AuthClient(
      new InternalHttp({ service: 'auth', baseUrl, caller: callingService.name, key: 'another key than that' }),
    );
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await auth.stop();
  });

  it('authenticates a client, and returns it by its id', async () => {
    const { client_secret, ...application } = client;
    expect(await caller.authenticateClient({ client_id: client.client_id, client_secret })).toEqual(application);
    expect(await caller.findClient(client.client_id)).toEqual(application);
    for (const wrong of ['', `${client_secret} `, client_secret.slice(1), 'x\u0000']) {
      expect(await caller.authenticateClient({ client_id: client.client_id, client_secret: wrong })).toBeUndefined();
      expect(await caller.authenticateClient({ client_id: wrong, client_secret })).toBeUndefined();
    }
    await auth.clients.disable(client.client_id);
    expect(await caller.authenticateClient({ client_id: client.client_id, client_secret })).toBe('disabled');
    expect(await caller.authenticateClient({ client_id: client.client_id, client_secret: 'wrong' })).toBeUndefined();
    expect(await caller.findClient(client.client_id)).toBeUndefined();
    await auth.clients.enable(client.client_id);
    expect(await caller.findClient('nobody')).toBeUndefined();
    expect(await caller.findClient('a/b\u0000')).toBeUndefined();
  });

  it('returns the logo of a client by its id only, and its frame origins always', async () => {
    const { client_id, client_secret } = await auth.client('With a logo');
    const frameOrigins = ['https://app.example.org'];
    await auth.clients.set(client_id, { logo: 'data:image/png;base64,iVBORw==', frameOrigins });
    expect(await caller.findClient(client_id)).toMatchObject({
      logo: 'data:image/png;base64,iVBORw==',
      frame_origins: frameOrigins,
    });
    const authenticated = await caller.authenticateClient({ client_id, client_secret });
    expect(authenticated).toMatchObject({ name: 'With a logo', frame_origins: frameOrigins });
    expect(authenticated).not.toHaveProperty('logo');
  });

  it('issues codes, introspects their tokens, and revokes them', async () => {
    const user = anyUser();
    const issued = await caller.issueCode(client.client_id, user);
    expect(issued).toEqual({ code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), expires_in: 600 });
    const before = Math.floor(Date.now() / 1000);
    const { body: tokens } = await auth.exchange(client, issued.code);
    const after = Math.ceil(Date.now() / 1000);
    const [live] = await caller.introspect([tokens.access_token]);
    expect(live).toEqual({
      active: true,
      client_id: client.client_id,
      service_user_id: user,
      mode: 'test',
      scope: 'user',
      expires_at: expect.any(Number),
    });
    const issuedAt = (live?.active ? live.expires_at : 0) - 7200;
    expect([issuedAt >= before, issuedAt <= after]).toEqual([true, true]);
    const all = [tokens.refresh_token, tokens.access_token, issued.code, 'unknown', tokens.access_token];
    expect((await caller.introspect(all)).map(({ active }) => active)).toEqual([false, true, false, false, true]);
    await caller.revokeTokensOfUser(user);
    expect(await caller.introspect([tokens.access_token])).toEqual([{ active: false }]);
  });

  it('issues access tokens without a code, which end as others do', async () => {
    const user = anyUser();
    const token = await caller.issueAccessToken(client.client_id, user);
    const [live] = await caller.introspect([token]);
    expect(live).toMatchObject({ active: true, client_id: client.client_id, service_user_id: user, scope: 'user' });
    const left = (live?.active ? live.expires_at : 0) - Date.now() / 1000;
    expect([left > 7190, left < 7201]).toEqual([true, true]);
    // Nothing of the family is left when its only token has ended.
    const { rows } = await auth.pool.query(
      'SELECT expires_at = ends_at AS ends, refresh_sha256 FROM token_family WHERE service_user_id = $1',
      [user],
    );
    expect(rows).toEqual([{ ends: true, refresh_sha256: null }]);
    await caller.revokeTokensOfUser(user);
    expect(await caller.introspect([token])).toEqual([{ active: false }]);
    await expect(caller.issueAccessToken('nobody', 1)).rejects.toMatchObject({ errorCode: 'client_not_found' });
    await auth.clients.disable(client.client_id);
    await expect(caller.issueAccessToken(client.client_id, user)).rejects.toMatchObject({ status: 404 });
    await auth.clients.enable(client.client_id);
  });

  it('keeps the precision of the largest user id', async () => {
    const { body } = await auth.exchange(
      client,
      (await caller.issueCode(client.client_id, Number.MAX_SAFE_INTEGER)).code,
    );
    expect(await caller.introspect([body.access_token])).toMatchObject([{ service_user_id: Number.MAX_SAFE_INTEGER }]);
  });

  it('issues no code for an unknown client', async () => {
    await expect(caller.issueCode('nobody', 1)).rejects.toMatchObject({ status: 404, errorCode: 'client_not_found' });
  });

  it('requires a service key', async () => {
    await expect(stranger.findClient(client.client_id)).rejects.toThrow(InternalCallError);
    await expect(stranger.authenticateClient(client)).rejects.toThrow(InternalCallError);
    await expect(stranger.introspect(['x'])).rejects.toThrow(InternalCallError);
    await expect(stranger.issueCode(client.client_id, 1)).rejects.toThrow(InternalCallError);
    await expect(stranger.issueAccessToken(client.client_id, 1)).rejects.toThrow(InternalCallError);
    await expect(stranger.revokeTokensOfUser(1)).rejects.toThrow(InternalCallError);
    expect(
      (
        await request(auth.replicas[0]!.internalApp)
          .post('/internal/v1/codes')
          .send({ client_id: client.client_id, service_user_id: 1 })
      ).status,
    ).toBe(401);
  });

  it('is not served by the public app', async () => {
    for (const path of ['/internal/v1/codes', '/internal/v1/tokens/introspect', '/internal/v1/clients/authenticate']) {
      expect(
        (await request(auth.publicApp).post(path).auth(callingService.name, callingService.key).send({})).status,
      ).toBe(404);
    }
  });
});
