import { waitUntil } from '@tributary/test-environment';
import { type ClientCredentials, admin, newAppUserId, newClient, newUser } from '../suite/users';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { clientAssertion, clientKey } from '../suite/system-tokens';

const ready = readySuite();
const endpoint = `${ready.auth_url}/oauth2/token`;

describe('tokens', () => {
  let client: ClientCredentials;
  beforeAll(async () => {
    client = await newClient(ready, 'tokens journey');
  });
  const code = async (): Promise<string> =>
    (
      await http('POST', `${ready.base_url}/user-management/v1/user`, {
        headers: { ...client },
        form: { app_user_id: newAppUserId() },
      })
    ).json.text('code');
  const patients = (token: string): Promise<number> =>
    http('GET', `${ready.base_url}/dstu2/Patient`, { headers: bearer(token) }).then(({ status }) => status);

  it('exchanges a code once; a second use revokes the issued tokens', async () => {
    const form = { ...client, code: await code(), grant_type: 'authorization_code' };
    const first = await http('POST', endpoint, { form });
    expect(first.json.value).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 7200,
      scope: 'user',
    });
    expect(first.headers.get('cache-control')).toContain('no-store');
    expect(await patients(first.json.text('access_token'))).toBe(200);
    const second = await http('POST', endpoint, { form });
    expect([second.status, second.json.at('error')]).toEqual([400, 'invalid_grant']);
    expect(await patients(first.json.text('access_token'))).toBe(401);
  });

  it('accepts JSON and HTTP Basic', async () => {
    expect(
      (await http('POST', endpoint, { json: { ...client, code: await code(), grant_type: 'authorization_code' } }))
        .status,
    ).toBe(200);
    const basic = `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`;
    expect(
      (
        await http('POST', endpoint, {
          headers: { Authorization: basic },
          form: { code: await code(), grant_type: 'authorization_code' },
        })
      ).status,
    ).toBe(200);
  });

  it('rotates refresh tokens: one of two concurrent pairs is valid, and the reuse of an earlier token revokes the family', async () => {
    const user = await newUser(ready, client);
    const refresh = (token: string): ReturnType<typeof http> =>
      http('POST', endpoint, { form: { ...client, grant_type: 'refresh_token', refresh_token: token } });
    const both = await Promise.all([refresh(user.refresh_token), refresh(user.refresh_token)]);
    const given = both
      .filter(({ status }) => status === 200)
      .map(({ json }) => ({ access: json.text('access_token'), refresh: json.text('refresh_token') }));
    const statuses = await Promise.all(given.map(({ access }) => patients(access)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const current = given[statuses.indexOf(200)]!;
    expect((await refresh(user.refresh_token)).status).toBe(400);
    expect((await refresh(current.refresh)).status).toBe(400);
    expect(await patients(current.access)).toBe(401);
  });

  it('refuses everything of a disabled client, until it is enabled', async () => {
    const stopped = await newClient(ready, 'disabled client');
    const { access_token: token, refresh_token } = await newUser(ready, stopped);
    const refresh = () => http('POST', endpoint, { form: { ...stopped, grant_type: 'refresh_token', refresh_token } });
    const createUser = () =>
      http('POST', `${ready.base_url}/user-management/v1/user`, {
        headers: { ...stopped },
        form: { app_user_id: newAppUserId() },
      });
    expect(await patients(token)).toBe(200);
    await admin('client', 'disable', stopped.client_id);
    // fhir-store has cached the token; the revocation reaches it by Redis.
    await waitUntil(async () => (await patients(token)) === 401, 'the token is refused', 50);
    expect([(await refresh()).status, (await createUser()).status]).toEqual([401, 401]);
    await admin('client', 'enable', stopped.client_id);
    expect(await patients(token)).toBe(200);
    expect((await refresh()).status).toBe(200);
    expect((await createUser()).status).toBe(200);
  });

  it('rejects invalid requests with the error codes of OAuth', async () => {
    const other = await newClient(ready, 'thief');
    const foreign = await http('POST', endpoint, {
      form: { ...other, code: await code(), grant_type: 'authorization_code' },
    });
    expect([foreign.status, foreign.json.at('error')]).toEqual([400, 'invalid_grant']);
    const wrong = await http('POST', endpoint, {
      form: { client_id: client.client_id, client_secret: 'no', code: 'x', grant_type: 'authorization_code' },
    });
    expect([wrong.status, wrong.json.at('error')]).toEqual([401, 'invalid_client']);
    const grant = await http('POST', endpoint, {
      form: { ...client, grant_type: 'password', username: 'u', password: 'p' },
    });
    expect([grant.status, grant.json.at('error')]).toEqual([400, 'unsupported_grant_type']);
  });

  it('challenges for HTTP Basic only a client that used it', async () => {
    const { client_id } = client;
    const grant = { grant_type: 'authorization_code', code: 'x' };
    const basic = `Basic ${Buffer.from(`${client_id}:wrong`).toString('base64')}`;
    const refused = {
      client_secret_basic: await http('POST', endpoint, { headers: { Authorization: basic }, form: grant }),
      client_secret_post: await http('POST', endpoint, { form: { ...grant, client_id, client_secret: 'wrong' } }),
      private_key_jwt: await http('POST', endpoint, {
        form: {
          ...grant,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: clientAssertion(ready, client_id, clientKey('ES384')),
        },
      }),
      nothing: await http('POST', endpoint, { form: grant }),
    };
    expect(
      Object.entries(refused).map(([method, { status, headers, json }]) => [
        method,
        status,
        json.at('error'),
        headers.get('www-authenticate'),
      ]),
    ).toEqual([
      ['client_secret_basic', 401, 'invalid_client', 'Basic realm="tributary"'],
      ['client_secret_post', 401, 'invalid_client', null],
      ['private_key_jwt', 401, 'invalid_client', null],
      ['nothing', 401, 'invalid_client', null],
    ]);
  });

  it('introspects and revokes; publishes its metadata', async () => {
    const user = await newUser(ready, client);
    const introspect = (): ReturnType<typeof http> =>
      http('POST', `${ready.auth_url}/oauth2/introspect`, { form: { ...client, token: user.access_token } });
    expect((await introspect()).json.at('active')).toBe(true);
    expect(
      (await http('POST', `${ready.auth_url}/oauth2/revoke`, { form: { ...client, token: user.access_token } })).status,
    ).toBe(200);
    expect((await introspect()).json.value).toEqual({ active: false });
    expect(await patients(user.access_token)).toBe(401);
    const metadata = await http('GET', `${ready.auth_url}/.well-known/oauth-authorization-server`);
    expect(metadata.json.at('token_endpoint')).toBe(endpoint);
  });

  it('requires a bearer token', async () => {
    const none = await http('GET', `${ready.base_url}/r4/Patient`);
    expect([none.status, none.headers.get('www-authenticate')?.startsWith('Bearer')]).toEqual([401, true]);
    expect(none.json.at('resourceType')).toBe('OperationOutcome');
  });
});
