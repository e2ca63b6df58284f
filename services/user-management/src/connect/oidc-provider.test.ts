import { waitUntil } from '@tributary/test-environment';
import type { HealthSystemAccess } from '@tributary/contracts';
import request from 'supertest';
import { Browser } from '../../test/browser';
import { type Person, admin, baseUrl, connectUrl, connectionsOf, newPerson } from '../../test/connect-flow';
import { type OidcProvider, type OidcProviderOptions, startOidcProvider } from '../../test/oidc-provider';
import { workerCredentials } from '../../test/connection-scene';
import { type RunningForTest, runForTest } from '../../test/running-service';

const secret = 'a secret+with:signs%';

describe('an authorization server of another maker, oidc-provider', () => {
  let service: RunningForTest;
  let person: Person;
  let provider: OidcProvider | undefined;
  beforeAll(async () => {
    service = await runForTest({ SWEEP_EVERY_SECONDS: '0.1' });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    person = await newPerson(service);
  });
  afterEach(() => provider?.close());

  /** @returns the redirect to the client */
  const connect = async (options: OidcProviderOptions, registration: string[]): Promise<URL> => {
    const redirectUris = { redirect_uris: [`${baseUrl}/connect/callback`] };
    provider = await startOidcProvider({ ...options, client: { ...redirectUris, ...options.client } });
    const host = new URL(provider.url).host;
    await admin(service, 'registration', 'set', '--host', host, '--client-id', 'our-client', ...registration);
    const id = service.directory.add([{ fhirVersion: 'r4', fhir_base_url: `${provider.url}/fhir/r4` }]);
    return new Browser(service.app, baseUrl).follow(connectUrl(person, id), [provider.url]);
  };
  const connectionId = async (): Promise<string> =>
    (await connectionsOf(service, person))[0]?.connection_id ?? 'no connection';
  const token = async (refused?: string): Promise<{ status: number; body: HealthSystemAccess }> =>
    request(service.internal)
      .post(`/internal/v1/connections/${await connectionId()}/access-token`)
      .set('Authorization', workerCredentials)
      .send(refused ? { refused_token_id: refused } : {});
  const statuses = async (): Promise<number[]> => (await provider?.requests())?.map(({ status }) => status) ?? [];

  const grants = { grant_types: ['authorization_code', 'refresh_token'] };

  it('connects as a public client, refreshes with rotated tokens, and revokes them', async () => {
    const client = { ...grants, token_endpoint_auth_method: 'none' };
    const back = await connect({ client, announcedMethods: ['none'] }, ['--auth-method', 'none']);
    expect(back.searchParams.get('success')).toBe('true');
    const [entry] = await connectionsOf(service, person);
    expect(entry).toMatchObject({ refreshable: true, granted_scopes: expect.arrayContaining(['patient/*.rs']) });
    const first = (await token()).body;
    const second = (await token(first.token_id)).body;
    const third = (await token(second.token_id)).body;
    expect(new Set([first, second, third].map(({ access_token }) => access_token)).size).toBe(3);
    expect(await statuses()).toEqual([200, 200, 200]);
    await request(service.app)
      .delete(`/connect/v1/connections/${entry?.connection_id}`)
      .set('Authorization', `Bearer ${person.token}`);
    const revocations = async (): Promise<number> =>
      (await provider?.requests())?.filter(({ path, status }) => path === '/token/revocation' && status === 200)
        .length ?? 0;
    await waitUntil(async () => (await revocations()) >= 1);
  });

  it.each(['client_secret_basic', 'client_secret_post'])('connects with a secret by %s', async (method) => {
    const client = { ...grants, client_secret: secret, token_endpoint_auth_method: method };
    const registration = ['--auth-method', method, '--client-secret', secret];
    const back = await connect({ client, announcedMethods: [method] }, registration);
    expect([back.searchParams.get('success'), await statuses()]).toEqual(['true', [200]]);
  });

  it.each(['RS384', 'ES384'])('authenticates with a key by %s', async (algorithm) => {
    const { keys } = (await request(service.app).get('/connect/jwks.json')).body as { keys: object[] };
    const client = { ...grants, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } };
    const options = { client, announcedMethods: ['private_key_jwt'], signingAlgorithms: [algorithm] };
    const back = await connect(options, ['--auth-method', 'private_key_jwt']);
    expect([back.searchParams.get('success'), await statuses()]).toEqual(['true', [200]]);
  });

  it('shows from the start that no refresh token was issued', async () => {
    const client = { ...grants, token_endpoint_auth_method: 'none' };
    const options = { client, announcedMethods: ['none'], refreshTokens: false };
    await connect(options, ['--auth-method', 'none']);
    expect((await connectionsOf(service, person))[0]).toMatchObject({ status: 'collecting', refreshable: false });
    const { token_id } = (await token()).body;
    expect((await token(token_id)).status).toBe(409);
    expect(await statuses()).toEqual([200]);
  });
});
