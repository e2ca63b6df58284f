import request, { type Test } from 'supertest';
import { AuthUnderTest } from '../../test/auth-under-test';
import { keySetOf, signingKey } from '../../test/signing-client';
import type { ClientWithSecret } from './client-applications';

/** The smallest image that is accepted: the bytes that each PNG begins with. */
const png = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')}`;

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

  it('tell the use of limits, without using any', async () => {
    const organisation = '7b1c0c7e-5c3e-4b7e-9a55-0b6f4cf2a001';
    const [client, other] = [await auth.client(), await auth.client()];
    await auth.clients.set(client.client_id, { organisation });
    const usage = async ({ client_id, client_secret }: typeof client): Promise<Record<string, number>> => {
      const { status, body } = await request(auth.publicApp)
        .get('/client-management/v1/usage')
        .set({ client_id, client_secret });
      expect(status).toBe(200);
      const { entry } = body as { entry: { name: string; quota: number; remaining: number }[] };
      return Object.fromEntries(entry.map(({ name, quota, remaining }) => [name, quota - remaining]));
    };
    const unused = { 'tokens-client': 0, 'fhir-client': 0, 'search-client': 0, 'organisation-clients': 0 };
    expect(await usage(client)).toEqual({ ...unused, 'organisation-clients': 1 });
    for (let i = 0; i < 3; i++) await call('get', client);
    const used = (await usage(client))['tokens-client']!;
    // Tokens come back, a hundred in a second.
    expect(used).toBeLessThanOrEqual(3);
    expect(await usage(other)).toEqual(unused);
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

  it('change what the users are asked to agree to, and remove these settings', async () => {
    const client = await auth.client();
    const change = { requested_types: ['Observation', 'Condition', 'Condition'], consent_days: 30 };
    const changed = { requested_types: ['Condition', 'Observation', 'Patient'], consent_days: 30 };
    expect((await call('patch', client, change)).body).toMatchObject(changed);
    expect(await auth.clients.find(client.client_id)).toMatchObject(changed);
    expect((await call('patch', client, { consent_days: 0 })).body).toMatchObject({ ...changed, consent_days: 0 });
    const { body } = await call('patch', client, { requested_types: null, consent_days: null });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['requested_types']));
    expect(await auth.clients.find(client.client_id)).not.toHaveProperty('consent_days');
  });

  it('change the logo and the frame origins, and remove them', async () => {
    const client = await auth.client();
    const change = { logo: png, frame_origins: ['https://app.example.org'] };
    expect((await call('patch', client, change)).body).toMatchObject({ ...change, logo: true });
    expect(await auth.clients.find(client.client_id)).toMatchObject(change);
    const { body } = await call('patch', client, { logo: null, frame_origins: null });
    expect([body.logo, body.frame_origins]).toEqual([undefined, undefined]);
    expect(await auth.clients.find(client.client_id)).not.toHaveProperty('logo');
  });

  it('change the keys: a key set takes the place of a URL, and a URL that of a key set', async () => {
    const client = await auth.client();
    const keys = async (change: object): Promise<unknown[]> => {
      const { body } = await call('patch', client, change);
      return [body.jwks, body.jwks_url, await auth.clients.findKeys(client.client_id)];
    };
    const [jwks, jwks_url] = [keySetOf(signingKey('ES384')), 'https://a.example/jwks.json'];
    expect(await keys({ jwks })).toEqual([jwks, undefined, { jwks }]);
    expect(await keys({ jwks_url })).toEqual([undefined, jwks_url, { jwks_url }]);
    expect(await keys({ jwks: null })).toEqual([undefined, jwks_url, { jwks_url }]);
    expect(await keys({ jwks, jwks_url: null })).toEqual([jwks, undefined, { jwks }]);
    expect(await keys({ name: 'Journal' })).toEqual([jwks, undefined, { jwks }]);
    expect(await keys({ jwks: null, jwks_url: null })).toEqual([undefined, undefined, undefined]);
  });

  it.each<[object, string]>([
    [
      {},
      'give at least one of name, redirect_uris, people, requested_types, consent_days, logo, frame_origins, jwks, jwks_url',
    ],
    [{ name: ' ' }, 'name: must have 1 to 200 characters'],
    [{ name: 'a\u202eb' }, 'name: must not contain control characters'],
    [{ redirect_uris: [] }, 'redirect_uris'],
    [{ redirect_uris: ['http://app.example.org/'] }, 'redirect_uris.0: must be https'],
    [{ redirect_uris: ['https://a.example/', 'https://a.example/'] }, 'redirect_uris: must be different'],
    [{ people: 'many' }, 'people'],
    [{ mode: 'live' }, 'mode is an unknown parameter'],
    [{ organisation_id: 1 }, 'organisation_id is an unknown parameter'],
    [{ requested_types: [] }, 'requested_types: must have at least 1 item'],
    [{ requested_types: ['Observation', 'Diagnosis'] }, 'requested_types.1: is no resource type of FHIR'],
    [{ consent_days: -1 }, 'consent_days: must be at least 0'],
    [{ consent_days: 3651 }, 'consent_days: must be at most 3650'],
    [{ consent_days: 1.5 }, 'consent_days: must be an integer'],
    [{ logo: 'https://a.example/logo.png' }, 'logo: must be a PNG, JPEG, WebP or SVG image of 64 kB at most'],
    [{ logo: png.replace('png', 'jpeg') }, 'logo: must be a PNG'],
    [{ logo: png.replace(';base64', '') }, 'logo: must be a PNG'],
    [{ logo: png + 'A'.repeat(88_000) }, 'logo: must be a PNG'],
    [{ frame_origins: [] }, 'frame_origins: must have at least 1 item'],
    [{ frame_origins: ['https://a.example/'] }, 'frame_origins.0: must be an origin such as'],
    [{ frame_origins: ['http://localhost:3000'] }, 'frame_origins.0: must be https'],
    [{ jwks: 'keys' }, 'jwks: must be an object'],
    [{ jwks: {} }, 'jwks.keys is missing'],
    [{ jwks: { keys: [] } }, 'jwks: the JWKS has no key'],
    [{ jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, 'jwks: the JWKS holds a private or secret key'],
    [{ jwks_url: 'jwks.json' }, 'jwks_url: It is not an absolute address'],
    [{ jwks_url: 'http://a.example/' }, 'jwks_url: the address is refused: only https'],
    [{ jwks_url: 'https://10.0.0.1/' }, 'jwks_url: the address is refused: it is not a public one'],
    [
      { jwks: keySetOf(signingKey('ES384')), jwks_url: 'https://a.example/' },
      'jwks_url: must not be given beside jwks',
    ],
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
