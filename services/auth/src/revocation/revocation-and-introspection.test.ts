import { introspectionResponse } from '@tributary/contracts';
import request from 'supertest';
import { AuthUnderTest, anyUser, authUrl, credentials } from '../../test/auth-under-test';
import type { ClientWithSecret } from '../clients/client-applications';
import { tokenHash } from '../tokens/opaque-token';

describe('revocation and introspection', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  let other: ClientWithSecret;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    [client, other] = [await auth.client(), await auth.client('Other')];
  });
  afterAll(() => auth.stop());

  const revoke = (by: ClientWithSecret, token: string) => auth.post('/oauth2/revoke', { ...credentials(by), token });
  const introspect = async (by: ClientWithSecret, token: string) =>
    introspectionResponse.parse((await auth.post('/oauth2/introspect', { ...credentials(by), token })).body);

  it('introspects access and refresh tokens for their own client only', async () => {
    const user = anyUser();
    const before = Math.floor(Date.now() / 1000);
    const { access_token, refresh_token } = await auth.tokens(client, user);
    const after = Math.ceil(Date.now() / 1000);
    const common = {
      active: true,
      client_id: client.client_id,
      sub: String(user),
      scope: 'user',
      exp: expect.any(Number),
      iss: authUrl,
    };
    const access = await introspect(client, access_token);
    expect(access).toEqual({ ...common, token_type: 'Bearer' });
    const refresh = await introspect(client, refresh_token);
    expect(refresh).toEqual(common);
    for (const [token, lifetime] of [
      [access, 7200],
      [refresh, 30 * 86_400],
    ] as const) {
      const issuedAt = (token.active ? token.exp : 0) - lifetime;
      expect([issuedAt >= before, issuedAt <= after]).toEqual([true, true]);
    }
    for (const token of [access_token, refresh_token])
      expect(await introspect(other, token)).toEqual({ active: false });
    await auth.refresh(client, refresh_token);
    expect(await introspect(client, refresh_token)).toEqual({ active: false });
    expect(await introspect(client, 'unknown')).toEqual({ active: false });
    expect(await introspect(client, await auth.code(client, user))).toEqual({ active: false });
  });

  it('expires an access token after two hours', async () => {
    const { access_token } = await auth.tokens(client);
    await auth.pool.query('UPDATE access_token SET expires_at = now() WHERE token_sha256 = $1', [
      tokenHash(access_token),
    ]);
    expect(await introspect(client, access_token)).toEqual({ active: false });
    expect(await auth.isActive(access_token)).toBe(false);
  });

  it('revokes an access token without its family', async () => {
    const { access_token, refresh_token } = await auth.tokens(client);
    const answer = await revoke(client, access_token);
    expect([answer.status, answer.type, answer.text]).toEqual([200, 'application/json', '{}']);
    expect(await auth.isActive(access_token)).toBe(false);
    expect((await auth.refresh(client, refresh_token)).status).toBe(200);
  });

  it('revokes a refresh token with its family, also a replaced one', async () => {
    for (const isReplaced of [false, true]) {
      const first = await auth.tokens(client);
      const { body: second } = await auth.refresh(client, first.refresh_token);
      expect((await revoke(client, isReplaced ? first.refresh_token : second.refresh_token)).status).toBe(200);
      expect(await Promise.all([first, second].map((one) => auth.isActive(one.access_token)))).toEqual([false, false]);
      expect((await auth.refresh(client, second.refresh_token)).body.error).toBe('invalid_grant');
    }
  });

  it('responds 200 for unknown and expired tokens, and 400 for those of another client and a missing token', async () => {
    const { access_token, refresh_token } = await auth.tokens(client);
    const unknown = await revoke(client, 'unknown');
    expect([unknown.status, unknown.body]).toEqual([200, {}]);
    for (const token of [access_token, refresh_token]) {
      const refused = await revoke(other, token);
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    }
    expect(await auth.isActive(access_token)).toBe(true);
    for (const path of ['/oauth2/revoke', '/oauth2/introspect']) {
      const missing = await auth.post(path, credentials(client));
      expect([missing.status, missing.body]).toEqual([
        400,
        { error: 'invalid_request', error_description: 'token is missing' },
      ]);
    }
    expect((await revoke(client, access_token)).status).toBe(200);
    expect((await revoke(client, access_token)).status).toBe(200);
  });

  it('stores codes and tokens as hashes only', async () => {
    const code = await auth.code(client, anyUser());
    const { body: tokens } = await auth.exchange(client, code);
    const { rows } = await auth.pool.query<{ text: string }>(`
      SELECT row_to_json(f)::text AS text FROM token_family f UNION ALL SELECT row_to_json(a)::text FROM access_token a
      UNION ALL SELECT row_to_json(c)::text FROM client_application c`);
    const stored = rows.map(({ text }) => text).join('\n');
    for (const secret of [code, tokens.access_token, tokens.refresh_token, client.client_secret]) {
      for (const spelling of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret, 'base64url').toString('hex'),
      ])
        expect(stored).not.toContain(spelling);
    }
  });

  it('serves the metadata and the documentation', async () => {
    const { body } = await request(auth.publicApp).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      issuer: authUrl,
      token_endpoint: `${authUrl}/oauth2/token`,
      revocation_endpoint: `${authUrl}/oauth2/revoke`,
      introspection_endpoint: `${authUrl}/oauth2/introspect`,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types_supported: [],
    });
    // There is no authorization endpoint, so neither it nor what a client could send there is announced.
    for (const name of ['authorization_endpoint', 'code_challenge_methods_supported', 'response_modes_supported'])
      expect(body).not.toHaveProperty(name);
    const { body: document } = await request(auth.publicApp).get('/openapi.json');
    expect(Object.keys(document.paths)).toEqual([
      '/oauth2/token',
      '/oauth2/revoke',
      '/oauth2/introspect',
      '/client-management/v1/client',
      '/client-management/v1/client/secret',
      '/client-management/v1/usage',
      '/.well-known/oauth-authorization-server',
    ]);
  });
});
