import { createHmac, randomUUID } from 'node:crypto';
import { systemTokenResponse, introspectionResponse } from '@tributary/contracts';
import request, { type Test } from 'supertest';
import type { ClientWithSecret } from '../clients/client-applications';
import { AuthUnderTest, anyUser, authUrl, credentials } from '../../test/auth-under-test';
import {
  type Differences,
  type SigningKey,
  asserting,
  assertion,
  keySetOf,
  secondsFromNow,
  signingKey,
} from '../../test/signing-client';
import { tokenHash } from '../tokens/opaque-token';

describe('grant_type=client_credentials', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  let other: ClientWithSecret;
  const rsa = signingKey('RS384');
  const ec = signingKey('ES384');
  const foreign = signingKey('ES384');
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client('Warehouse', { jwks: keySetOf(rsa, ec) });
    other = await auth.client('Other', { jwks: keySetOf(foreign) });
  });
  afterAll(() => auth.stop());

  const everything = 'system/*.read';
  const ask = (text: string, more: Record<string, string> = {}, replica = 0): Test =>
    auth.post(
      '/oauth2/token',
      { grant_type: 'client_credentials', scope: everything, ...asserting(text), ...more },
      replica,
    );
  const signed = (differences: Differences = {}, key: SigningKey = ec): string =>
    assertion(client.client_id, key, differences);
  const tokenOf = async (scope = everything): Promise<string> =>
    systemTokenResponse.parse((await ask(signed(), { scope })).body).access_token;
  const introspection = async (token: string): Promise<object> =>
    (await auth.internal('post', '/internal/v1/tokens/introspect', { tokens: [token] })).body.tokens[0] as object;

  it.each([
    ['RS384', rsa],
    ['ES384', ec],
  ])('issues a system token for an assertion signed with %s', async (_algorithm, key) => {
    const answer = await ask(signed({}, key));
    expect([answer.status, answer.headers['cache-control'], answer.headers['pragma']]).toEqual([
      200,
      'no-store',
      'no-cache',
    ]);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 300,
      scope: everything,
    });
    const live = await introspection(answer.body.access_token);
    expect(live).toEqual({
      active: true,
      client_id: client.client_id,
      mode: 'test',
      scope: everything,
      expires_at: expect.any(Number),
    });
    expect(Math.abs((live as { expires_at: number }).expires_at - secondsFromNow(300))).toBeLessThan(10);
  });

  it.each([
    'system/*.read',
    'system/*.rs',
    'system/Patient.read',
    'system/Patient.rs system/Observation.read',
    'system/MedicationOrder.rs',
  ])('grants the scope %s', async (scope) => {
    const answer = await ask(signed(), { scope });
    expect([answer.status, answer.body.scope]).toEqual([200, scope]);
    expect(await introspection(answer.body.access_token)).toMatchObject({ scope });
  });

  it('removes repeated scopes', async () => {
    expect((await ask(signed(), { scope: 'system/*.rs system/Patient.rs system/*.rs' })).body.scope).toBe(
      'system/*.rs system/Patient.rs',
    );
  });

  it.each([
    '',
    'user',
    'openid',
    'system/*.write',
    'system/*.cruds',
    'system/*.*',
    'system/Spaceship.read',
    'system/Patient.read user',
    'user/*.read',
    'patient/*.rs',
    'system/*.read  system/*.rs',
    'system/Patient.rs?_id=1',
    'system/patient.read',
  ])('refuses the scope "%s"', async (scope) => {
    const answer = await ask(signed(), { scope });
    expect([answer.status, answer.body, answer.headers['cache-control']]).toEqual([
      400,
      { error: 'invalid_scope', error_description: expect.stringContaining('scope') },
      'no-store',
    ]);
  });

  it('requires a scope', async () => {
    const answer = await auth.post('/oauth2/token', { grant_type: 'client_credentials', ...asserting(signed()) });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_scope']);
  });

  it('requires a client assertion', async () => {
    const answer = await auth.post('/oauth2/token', {
      ...credentials(client),
      grant_type: 'client_credentials',
      scope: everything,
    });
    expect([answer.status, answer.body.error, answer.body.error_description]).toEqual([
      400,
      'unsupported_grant_type',
      expect.stringContaining('client_assertion'),
    ]);
  });

  it('accepts a jti once, on all replicas together, until it expires', async () => {
    const text = signed();
    const answers = await Promise.all(Array.from({ length: 10 }, (_x, i) => ask(text, {}, i % 2)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200))
      expect([status, body.error, body.error_description]).toEqual([
        401,
        'invalid_client',
        expect.stringContaining('jti'),
      ]);
    const jti = randomUUID();
    expect((await ask(signed({ claims: { jti } }))).status).toBe(200);
    expect((await ask(signed({ claims: { jti } }, rsa), {}, 1)).status).toBe(401);
    expect((await ask(assertion(other.client_id, foreign, { claims: { jti } }))).status).toBe(200);
    await auth.pool.query('UPDATE used_assertion SET expires_at = now()');
    expect((await ask(signed({ claims: { jti } }))).status).toBe(200);
  });

  it('does not mark the jti of an invalid assertion as used', async () => {
    const jti = randomUUID();
    expect((await ask(assertion(client.client_id, { ...foreign, kid: ec.kid }, { claims: { jti } }))).status).toBe(401);
    expect((await ask(signed({ claims: { jti } }))).status).toBe(200);
  });

  it.each<[string, Differences]>([
    ['another audience', { claims: { aud: 'https://elsewhere.example.org/oauth2/token' } }],
    ['several other audiences', { claims: { aud: ['https://x.example.org', `${authUrl}/oauth2/revoke`] } }],
    ['no audience', { claims: { aud: undefined } }],
    ['an expiry that is past', { claims: { exp: secondsFromNow(-1) } }],
    ['an expiry further than five minutes ahead', { claims: { exp: secondsFromNow(600) } }],
    ['an expiry in milliseconds', { claims: { exp: Date.now() } }],
    ['an expiry as text', { claims: { exp: String(secondsFromNow(200)) } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['a beginning that lies ahead', { claims: { nbf: secondsFromNow(100) } }],
    ['another issuer', { claims: { iss: 'https://client.example.org' } }],
    ['no issuer', { claims: { iss: undefined } }],
    ['another subject', { claims: { sub: 'somebody' } }],
    ['an unknown client', { claims: { iss: 'nobody', sub: 'nobody' } }],
    ['no jti', { claims: { jti: undefined } }],
    ['an empty jti', { claims: { jti: '' } }],
    ['a jti that is no text', { claims: { jti: 7 } }],
    ['another kid', { header: { kid: 'another' } }],
    ['no kid', { header: { kid: undefined } }],
    ['the kid of a key of another kind', { header: { kid: rsa.kid } }],
    ['another algorithm', { header: { alg: 'ES256' } }],
    ['the algorithm of another key', { header: { alg: 'RS384', kid: rsa.kid } }],
    ['another type', { header: { typ: 'at+jwt' } }],
    ['a jku that is not registered', { header: { jku: 'https://keys.example.org/jwks.json' } }],
    ['an extension that must be understood', { header: { crit: ['b64'], b64: false } }],
  ])('refuses an assertion with %s', async (_case, differences) => {
    const answer = await ask(signed(differences));
    expect([answer.status, Object.keys(answer.body), answer.body.error, answer.headers['cache-control']]).toEqual([
      401,
      ['error', 'error_description'],
      'invalid_client',
      'no-store',
    ]);
    expect(answer.body.error_description).toMatch(/^client_assertion: /);
  });

  it('refuses assertions that are unsigned, signed with a secret or by another client, changed or malformed', async () => {
    const [header = '', claims = '', signature = ''] = signed().split('.');
    const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
    const hs = `${encoded({ alg: 'HS384', kid: ec.kid, typ: 'JWT' })}.${claims}`;
    const tampered = encoded({
      ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object),
      jti: 'another',
    });
    const texts = [
      `${encoded({ alg: 'none', kid: ec.kid })}.${claims}.`,
      `${encoded({ alg: 'none', kid: ec.kid })}.${claims}.${signature}`,
      `${hs}.${createHmac('sha384', client.client_secret).update(hs).digest('base64url')}`,
      assertion(client.client_id, foreign),
      assertion(other.client_id, ec),
      `${header}.${tampered}.${signature}`,
      `${header}.${claims}.${signature.slice(0, -4)}`,
      `${header}.${claims}.AAAA`,
      `${header}.${claims}`,
      `${header}.${claims}.${signature}.${signature}`,
      `${encoded([])}.${claims}.${signature}`,
      `${header}.${Buffer.from('null').toString('base64url')}.${signature}`,
      `!.${claims}.${signature}`,
      'nonsense',
      'x'.repeat(20_000),
    ];
    for (const [i, text] of texts.entries()) {
      const answer = await ask(text);
      expect([i, answer.status, answer.body.error]).toEqual([i, 401, 'invalid_client']);
    }
    expect((await ask(`${header}.${claims}.${signature}`)).status).toBe(200);
  });

  it('accepts the issuer and the token endpoint as audience, alone or in an array, and no typ', async () => {
    const endpoint = `${authUrl}/oauth2/token`;
    for (const aud of [authUrl, endpoint, [authUrl], [authUrl, endpoint], ['https://x.example.org', endpoint]])
      expect((await ask(signed({ claims: { aud }, header: { typ: undefined } }))).status).toBe(200);
  });

  it('reports the error of an assertion without a Basic challenge', async () => {
    for (const [differences, reason] of [
      [{ claims: { aud: 'https://x.example.org' } }, `aud must be ${authUrl} or ${authUrl}/oauth2/token`],
      [{ claims: { aud: undefined } }, 'aud is missing'],
      [{ claims: { sub: 'somebody' } }, 'sub must be the client_id, as iss is'],
      [{ claims: { exp: 'soon' } }, 'exp is malformed'],
      [{ claims: { exp: secondsFromNow(-60) } }, 'it has expired'],
      [{ claims: { nbf: secondsFromNow(100) } }, 'nbf is in the future'],
      [{ claims: { jti: undefined } }, 'jti is missing'],
      [{ header: { alg: 'ES256' } }, 'alg must be RS384 or ES384'],
    ] satisfies [Differences, string][]) {
      const answer = await ask(signed(differences));
      expect([answer.status, answer.body, answer.headers['www-authenticate']]).toEqual([
        401,
        { error: 'invalid_client', error_description: `client_assertion: ${reason}` },
        undefined,
      ]);
    }
  });

  it('accepts an equal client_id beside the assertion, but no second authentication method', async () => {
    expect((await ask(signed(), { client_id: client.client_id })).status).toBe(200);
    const mismatch = await ask(signed(), { client_id: other.client_id });
    expect([mismatch.status, mismatch.body.error]).toEqual([401, 'invalid_client']);
    for (const answer of [
      await ask(signed(), { client_secret: client.client_secret }),
      await ask(signed()).auth(client.client_id, client.client_secret),
    ])
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  it.each([
    [
      'another client_assertion_type',
      { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
    ],
    ['no client_assertion_type', { client_assertion_type: '' }],
    ['no client_assertion', { client_assertion: '' }],
  ])('refuses %s', async (_case, parameters) => {
    const answer = await ask(signed(), parameters);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: 'invalid_request', error_description: expect.stringContaining('client_assertion') },
    ]);
  });

  it('uses the currently registered keys', async () => {
    const { client_id } = await auth.client('Keyless');
    expect((await ask(assertion(client_id, ec))).body.error).toBe('invalid_client');
    await auth.clients.set(client_id, { jwks: keySetOf(ec) });
    expect((await ask(assertion(client_id, ec))).status).toBe(200);
    await auth.clients.set(client_id, { jwks: 'none' });
    expect((await ask(assertion(client_id, ec))).body.error).toBe('invalid_client');
  });

  it('authenticates the client also for the other grants and endpoints', async () => {
    const post = (path: string, parameters: Record<string, string>): Test =>
      auth.post(path, { ...asserting(signed()), ...parameters });
    const exchanged = await post('/oauth2/token', {
      grant_type: 'authorization_code',
      code: await auth.code(client, anyUser()),
    });
    expect(exchanged.body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 7200,
      scope: 'user',
    });
    const refreshed = await post('/oauth2/token', {
      grant_type: 'refresh_token',
      refresh_token: exchanged.body.refresh_token,
    });
    expect(refreshed.body).toMatchObject({ scope: 'user', expires_in: 7200 });
    expect((await post('/oauth2/introspect', { token: refreshed.body.access_token })).body).toMatchObject({
      active: true,
      scope: 'user',
    });
    expect((await post('/oauth2/token', { grant_type: 'password' })).body.error).toBe('unsupported_grant_type');
    expect(
      (await post('/oauth2/token', { grant_type: 'authorization_code', code: await auth.code(other, anyUser()) })).body
        .error,
    ).toBe('invalid_grant');
  });

  it('issues a token that its own client can introspect and revoke, and that expires after five minutes', async () => {
    const token = await tokenOf();
    const introspect = async (by: ClientWithSecret) =>
      introspectionResponse.parse((await auth.post('/oauth2/introspect', { ...credentials(by), token })).body);
    expect(await introspect(client)).toEqual({
      active: true,
      client_id: client.client_id,
      sub: client.client_id,
      scope: everything,
      exp: expect.any(Number),
      iss: authUrl,
      token_type: 'Bearer',
    });
    expect(await introspect(other)).toEqual({ active: false });
    expect((await auth.post('/oauth2/revoke', { ...credentials(other), token })).body.error).toBe('invalid_grant');
    expect(await auth.isActive(token)).toBe(true);
    expect((await auth.post('/oauth2/revoke', { ...asserting(signed()), token })).status).toBe(200);
    expect(await auth.isActive(token)).toBe(false);
    const late = await tokenOf();
    await auth.pool.query(
      `UPDATE system_access_token SET expires_at = expires_at - interval '300 s' WHERE token_sha256 = $1`,
      [tokenHash(late)],
    );
    expect(await auth.isActive(late)).toBe(false);
  });

  it('issues a token that is neither a code nor a refresh token', async () => {
    const token = await tokenOf();
    expect((await auth.exchange(client, token)).body.error).toBe('invalid_grant');
    expect((await auth.refresh(client, token)).body.error).toBe('invalid_grant');
  });

  it('is part of the server metadata, with the algorithms', async () => {
    const { body } = await request(auth.publicApp).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes_supported: ['user', 'patient/*.rs', 'patient/*.cruds', 'system/*.read', 'system/*.rs'],
    });
    for (const endpoint of ['token', 'revocation', 'introspection']) {
      expect(body[`${endpoint}_endpoint_auth_methods_supported`]).toEqual([
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
      ]);
      expect(body[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).toEqual(['RS384', 'ES384']);
    }
  });
});
