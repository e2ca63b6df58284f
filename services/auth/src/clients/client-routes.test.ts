import request, { type Test } from 'supertest';
import { AuthUnderTest } from '../../test/auth-under-test';
import type { ClientWithSecret } from './client-applications';

describe('the routes by which a client manages itself', () => {
  let auth: AuthUnderTest;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
  });
  afterAll(() => auth.stop());

  const path = '/client-management/v1/client';
  const call = (
    method: 'get' | 'patch' | 'post' | 'delete',
    { client_id, client_secret }: Pick<ClientWithSecret, 'client_id' | 'client_secret'>,
    body?: object,
    under = '',
  ): Test => {
    const sent = request(auth.publicApp)[method](`${path}${under}`).set({ client_id, client_secret });
    return body ? sent.send(body) : sent;
  };

  it('read the client, without its secret', async () => {
    const { client_secret, ...client } = await auth.client();
    const { status, body, text } = await call('get', { ...client, client_secret });
    expect([status, body]).toEqual([200, client]);
    expect(text).not.toContain(client_secret);
    expect((await call('get', { ...client, client_secret: 'x'.repeat(43) })).status).toBe(401);
    expect((await request(auth.publicApp).get(path)).status).toBe(401);
  });

  it('tell that the client has a logo, and where its pages may be framed', async () => {
    const client = await auth.client();
    const frameOrigins = ['https://app.example.org'];
    await auth.clients.set(client.client_id, { logo: 'data:image/png;base64,iVBORw==', frameOrigins });
    expect((await call('get', client)).body).toMatchObject({ logo: true, frame_origins: frameOrigins });
  });

  it('change the name, the redirect URIs and the people', async () => {
    const client = await auth.client();
    const change = { name: 'Journal', redirect_uris: ['https://journal.example.org/'], people: 'several' };
    expect((await call('patch', client, change)).body).toMatchObject(change);
    expect(await auth.clients.find(client.client_id)).toMatchObject(change);
    expect((await call('patch', client, { name: 'Log' })).body).toMatchObject({ ...change, name: 'Log' });
    expect(auth.audit.events).toContainEqual(
      expect.objectContaining({
        kind: 'client.changed',
        agent: expect.objectContaining({ clientId: client.client_id }),
      }),
    );
  });

  it.each<[object, string]>([
    [{}, 'give at least one of name, redirect_uris and people'],
    [{ name: ' ' }, 'name: must have 1 to 200 characters'],
    [{ name: 'a\u202eb' }, 'name: must not contain control characters'],
    [{ redirect_uris: [] }, 'redirect_uris'],
    [{ redirect_uris: ['http://app.example.org/'] }, 'redirect_uris.0: must be https'],
    [{ redirect_uris: ['https://a.example/', 'https://a.example/'] }, 'redirect_uris: must be different'],
    [{ people: 'many' }, 'people'],
    [{ mode: 'live' }, 'mode is an unknown parameter'],
  ])('refuse the change %j', async (change, message) => {
    const client = await auth.client();
    const { status, body } = await call('patch', client, change);
    expect([status, body.error_description]).toEqual([400, expect.stringContaining(message)]);
    expect(await auth.clients.find(client.client_id)).toMatchObject({ name: 'Diary' });
  });

  it('give a new secret, beside which the old one works for as long as was asked', async () => {
    const client = await auth.client();
    const { status, body } = await call('post', client, { overlap_hours: 2 }, '/secret');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        client_secret: expect.stringMatching(/^test_secret_/),
        previous_secret_expires_at: expect.any(String),
      }),
    ]);
    const rotated = { client_id: client.client_id, client_secret: String(body.client_secret) };
    expect((await call('get', client)).status).toBe(200);
    const atOnce = await call('post', rotated, {}, '/secret');
    expect(atOnce.body).not.toHaveProperty('previous_secret_expires_at');
    expect([(await call('get', client)).status, (await call('get', rotated)).status]).toEqual([401, 401]);
    expect((await call('get', { ...rotated, client_secret: String(atOnce.body.client_secret) })).status).toBe(200);
    expect((await call('post', rotated, { overlap_hours: -1 }, '/secret')).status).toBe(401);
  });

  it('delete the client by its name, and user-management removes it after its users', async () => {
    const client = await auth.client('Doomed');
    const { access_token } = await auth.tokens(client);
    const deleting = async (): Promise<string[]> =>
      (await auth.internal('get', '/internal/v1/deleting-clients')).body.client_ids;
    expect((await call('delete', client, { confirm: 'Diary' })).body).toMatchObject({
      error_description: 'confirm: must be the name of the client',
    });
    const { status, body } = await call('delete', client, { confirm: 'Doomed' });
    expect([status, body]).toEqual([202, expect.objectContaining({ deletion_at: expect.any(String) })]);
    expect(await auth.isActive(access_token)).toBe(false);
    expect((await call('get', client)).status).toBe(401);
    expect(await deleting()).not.toContain(client.client_id);
    const days = (new Date(String(body.deletion_at)).getTime() - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(7);
    await auth.clients.enable(client.client_id);
    expect((await call('delete', client, { confirm: 'Doomed' })).status).toBe(202);
    await auth.pool.query('UPDATE client_application SET deletion_at = now() WHERE client_id = $1', [client.client_id]);
    await auth.clients.enable(client.client_id);
    expect(await deleting()).toContain(client.client_id);
    for (const _again of [1, 2])
      expect((await auth.internal('delete', `/internal/v1/deleting-clients/${client.client_id}`)).status).toBe(204);
    expect(await deleting()).not.toContain(client.client_id);
    expect((await auth.clients.list()).map(({ client_id }) => client_id)).not.toContain(client.client_id);
  });

  it('are not the way to remove a client that is not being deleted', async () => {
    const client = await auth.client();
    const { access_token } = await auth.tokens(client);
    expect((await auth.internal('delete', `/internal/v1/deleting-clients/${client.client_id}`)).status).toBe(204);
    expect([(await call('get', client)).status, await auth.isActive(access_token)]).toEqual([200, true]);
  });
});
