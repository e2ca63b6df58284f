import request, { type Test } from 'supertest';
import { AuthUnderTest, anyUser, consoleService, credentials } from '../../test/auth-under-test';
import { deleteExpired } from '../tokens/expiry-sweep';
import type { ClientWithSecret } from './client-applications';

let auth: AuthUnderTest;
beforeAll(async () => {
  auth = await AuthUnderTest.start();
});
afterAll(() => auth.stop());

const organisation = '5c0e4b0e-6a57-4d0c-9d3c-3a4f7f1f0a11';

async function clientOfOrganisation(): Promise<ClientWithSecret> {
  const client = await auth.client();
  await auth.clients.set(client.client_id, { organisation });
  return client;
}

const requested = (clientId: string, body: object = { developer: 'jane-1' }): Test =>
  auth.internal('post', `/internal/v1/clients/${clientId}/temporary-secrets`, body, consoleService);

/** The client with a temporary secret in place of its own. */
async function acting(client: ClientWithSecret, developer = 'jane-1'): Promise<ClientWithSecret> {
  const { status, body } = await requested(client.client_id, { developer });
  expect(status).toBe(200);
  return { ...client, client_secret: String(body.client_secret) };
}

const management = (client: ClientWithSecret, method: 'get' | 'patch' = 'get'): Test =>
  request(auth.publicApp)[method]('/client-management/v1/client').set(credentials(client));
const authenticated = (client: ClientWithSecret): Test =>
  auth.internal('post', '/internal/v1/clients/authenticate', credentials(client));

it('work where the secret of the client does, and name the developer in the audit log', async () => {
  const client = await clientOfOrganisation();
  const { body, status } = await requested(client.client_id);
  expect([status, body]).toEqual([
    200,
    { client_secret: expect.stringMatching(/^test_secret_[\w-]{43}$/), expires_at: expect.any(String) },
  ]);
  const seconds = (Date.parse(String(body.expires_at)) - Date.now()) / 1000;
  expect([seconds > 290, seconds < 301]).toEqual([true, true]);
  const developer = { ...client, client_secret: String(body.client_secret) };
  const user = anyUser();
  const code = await auth.code(client, user);

  const from = auth.audit.events.length;
  const { client_secret: _secret, ...application } = client;
  expect((await authenticated(developer)).body).toEqual({ ...application, developer: 'jane-1' });
  expect((await authenticated(client)).body).toEqual(application);
  expect((await management(developer)).body).toEqual({ ...application, organisation_id: organisation });
  expect((await management(developer, 'patch').send({ name: 'Journal' })).status).toBe(200);
  const { access_token: token } = (await auth.exchange(developer, code)).body as { access_token: string };
  for (const endpoint of ['introspect', 'revoke'])
    expect((await auth.post(`/oauth2/${endpoint}`, { ...credentials(developer), token })).status).toBe(200);
  expect((await management(client, 'patch').send({ name: 'Diary' })).status).toBe(200);
  const agent = { clientId: client.client_id, developer: 'jane-1' };
  expect(auth.audit.events.slice(from)).toEqual(
    [
      { kind: 'client.changed', agent },
      { kind: 'token.issued', agent, subject: user },
      { kind: 'token.introspected', agent, subject: user },
      { kind: 'token.revoked', agent },
      { kind: 'client.changed', agent: { clientId: client.client_id } },
    ].map((event) => expect.objectContaining(event)),
  );
  expect(auth.audit.events[from - 2]).toMatchObject({
    kind: 'token.issued',
    agent: { ...agent, service: 'console' },
    entities: [{ type: 'temporary_secret' }],
  });
  expect(JSON.stringify(auth.audit.events)).not.toContain(developer.client_secret);
});

it('name the developer in the tokens of the codes that they exchange, also after a refresh', async () => {
  const client = await clientOfOrganisation();
  const developer = await acting(client);
  const introspected = async (token: string): Promise<object> => {
    const { body } = await auth.internal('post', '/internal/v1/tokens/introspect', { tokens: [token] });
    return (body as { tokens: [object] }).tokens[0];
  };
  const exchanged = async (by: ClientWithSecret): Promise<Record<string, string>> =>
    (await auth.exchange(by, await auth.code(client, anyUser())).expect(200)).body as Record<string, string>;
  const [own, tokens] = [await exchanged(client), await exchanged(developer)];
  expect(await introspected(own['access_token']!)).not.toHaveProperty('developer');
  expect(await introspected(tokens['access_token']!)).toMatchObject({ active: true, developer: 'jane-1' });
  const { body } = await auth.post('/oauth2/token', {
    ...credentials(client),
    grant_type: 'refresh_token',
    refresh_token: tokens['refresh_token']!,
  });
  expect(await introspected(String(body.access_token))).toMatchObject({ active: true, developer: 'jane-1' });
});

it('of several developers work beside each other, and survive a new secret of the client', async () => {
  const client = await clientOfOrganisation();
  const [jane, joe] = [await acting(client), await acting(client, 'joe-2')];
  await auth.clients.rotateSecret(client.client_id);
  expect((await authenticated(client)).status).toBe(401);
  expect((await authenticated(jane)).body).toMatchObject({ developer: 'jane-1' });
  expect((await authenticated(joe)).body).toMatchObject({ developer: 'joe-2' });
});

it('work for their own client only', async () => {
  const [client, other] = [await clientOfOrganisation(), await auth.client()];
  const { client_secret } = await acting(client);
  expect((await authenticated({ ...other, client_secret })).status).toBe(401);
  expect((await authenticated({ ...other, client_id: 'nobody', client_secret })).status).toBe(401);
});

it('end after five minutes, and are deleted then', async () => {
  const client = await clientOfOrganisation();
  const [ended, kept] = [await acting(client), await acting(client, 'joe-2')];
  await auth.pool.query(
    "UPDATE temporary_secret SET expires_at = now() WHERE developer = 'jane-1' AND client_id = $1",
    [client.client_id],
  );
  expect([(await authenticated(ended)).status, (await management(ended)).status]).toEqual([401, 401]);
  expect((await auth.exchange(ended, await auth.code(client, anyUser()))).status).toBe(401);
  await deleteExpired(auth.pool);
  const { rows } = await auth.pool.query('SELECT developer FROM temporary_secret WHERE client_id = $1', [
    client.client_id,
  ]);
  expect(rows).toEqual([{ developer: 'joe-2' }]);
  expect((await authenticated(kept)).status).toBe(200);
});

it('do not work for a disabled client, which gets none, nor does one without an organisation', async () => {
  const client = await clientOfOrganisation();
  const developer = await acting(client);
  await auth.clients.disable(client.client_id);
  expect([(await authenticated(developer)).status, (await management(developer)).status]).toEqual([403, 401]);
  expect((await auth.exchange(developer, 'code')).status).toBe(401);
  for (const clientId of [client.client_id, (await auth.client()).client_id, 'nobody']) {
    const { status, body } = await requested(clientId);
    expect([status, body.error_code]).toEqual([404, 'client_not_found']);
  }
});

it.each([{}, { developer: '' }, { developer: 'jane doe' }, { developer: 'j'.repeat(65) }, { developer: 'j', more: 1 }])(
  'are refused to %j',
  async (body) => {
    expect((await requested((await clientOfOrganisation()).client_id, body)).status).toBe(400);
  },
);
