import { startTcpProxy, testRedis } from '@tributary/test-environment';
import request, { type Response } from 'supertest';
import { AuthUnderTest, credentials } from '../../test/auth-under-test';
import { asserting, assertion, keySetOf, signingKey } from '../../test/signing-client';
import type { ClientWithSecret } from '../clients/client-applications';

const wrongSecret = 'test_secret_00000000000000000000000000000000000000000000';

describe('limits of the token endpoint', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  beforeEach(async () => {
    auth = await AuthUnderTest.start({ limits: '' });
    client = await auth.client();
  });
  afterEach(() => auth.stop());

  const attempt = (
    fields: Record<string, string>,
    address = '192.0.2.1',
    path = '/oauth2/introspect',
  ): Promise<Response> =>
    request(auth.publicApp)
      .post(path)
      .type('form')
      .set('X-Forwarded-For', address)
      .send({ token: 'unknown', ...fields })
      .then((response) => response);
  const wrong = (): Record<string, string> => ({ client_id: client.client_id, client_secret: wrongSecret });

  /** The delay after seven failures is over before a slow test goes on, so that failures continue until it is long. */
  async function failUntilRefused(send: () => Promise<Response>): Promise<Response> {
    for (let attempts = 0; attempts < 1000; attempts++) {
      const response = await send();
      if (response.status === 429 && Number(response.headers['retry-after']) > 1) return response;
      expect([401, 429]).toContain(response.status);
    }
    throw new Error('no attempt was refused');
  }

  it('refuse a client at an address after wrong secrets, on every endpoint, and nowhere else', async () => {
    for (let i = 0; i < 5; i++) expect((await attempt(wrong())).status).toBe(401);
    const refused = await failUntilRefused(() => attempt(wrong()));
    expect(refused.body).toEqual({
      error: 'too_many_failed_credentials',
      error_description: 'too many credentials were wrong: wait before the next attempt',
    });
    for (const path of ['/oauth2/introspect', '/oauth2/token', '/oauth2/revoke'])
      expect((await attempt(credentials(client), '192.0.2.1', path)).status).toBe(429);
    expect((await attempt(credentials(client), '192.0.2.2')).status).toBe(200);
    expect((await attempt(credentials(await auth.client('Other')))).status).toBe(200);
  });

  it('count client assertions by the client that they claim', async () => {
    const payload = Buffer.from(JSON.stringify({ iss: client.client_id })).toString('base64url');
    const forged = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `eyJhbGciOiJSUzM4NCIsImtpZCI6ImEifQ.${payload}.AAAA`,
    };
    await failUntilRefused(() => attempt(forged));
    expect((await attempt(credentials(client))).status).toBe(429);
    expect((await attempt(credentials(client), '192.0.2.2')).status).toBe(200);
  });

  it('do not count the right credentials of a disabled client as wrong', async () => {
    const key = signingKey('ES384');
    const withKeys = await auth.client('Signing', { jwks: keySetOf(key) });
    const sent = [
      (): Promise<Response> => attempt(credentials(client)),
      (): Promise<Response> => attempt(asserting(assertion(withKeys.client_id, key))),
    ];
    for (const { client_id } of [client, withKeys]) await auth.clients.disable(client_id);
    // The seventh failure would be delayed.
    for (const send of sent) for (let i = 0; i < 8; i++) expect((await send()).status).toBe(401);
    for (const { client_id } of [client, withKeys]) await auth.clients.enable(client_id);
    for (const send of sent) expect((await send()).status).toBe(200);
  });

  it('do not let the failures of others lock a client out at its address', async () => {
    expect((await attempt(credentials(client), '192.0.2.9')).status).toBe(200);
    for (let i = 0; i < 40; i++) await attempt(wrong(), `198.51.100.${i}`);
    expect((await attempt(credentials(client), '192.0.2.9')).status).toBe(200);
    // The first address is the one that an attacker has sent.
    await failUntilRefused(() => attempt(wrong(), '192.0.2.9, 198.51.100.77'));
    expect((await attempt(credentials(client), '192.0.2.9')).status).toBe(200);
  });
});

it('the requests of an address and of a client are limited', async () => {
  const auth = await AuthUnderTest.start({ limits: 'tokens-address=6/86400,tokens-client=4/86400' });
  try {
    const client = await auth.client();
    const introspect = (address: string, secret = client.client_secret): Promise<Response> =>
      request(auth.publicApp)
        .post('/oauth2/introspect')
        .type('form')
        .set('X-Forwarded-For', address)
        .send({ token: 'unknown', client_id: client.client_id, client_secret: secret })
        .then((response) => response);
    const first = await introspect('192.0.2.1');
    expect(first.headers['ratelimit-policy']).toBe('"tokens-client";q=4;w=86400, "tokens-address";q=6;w=86400');
    // A wrong secret uses up the limit of the address, and not that of the client.
    for (let i = 0; i < 5; i++) expect((await introspect('192.0.2.1', wrongSecret)).status).toBe(401);
    const refused = await introspect('192.0.2.1');
    expect([refused.status, refused.body.error]).toEqual([429, 'too_many_requests']);
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await introspect('192.0.2.2')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  } finally {
    await auth.stop();
  }
});

it('credentials are refused with 503 while Redis hangs, and services are served', async () => {
  const proxy = await startTcpProxy(testRedis().url);
  const auth = await AuthUnderTest.start({ redisUrl: proxy.url });
  try {
    const client = await auth.client();
    const { access_token } = await auth.tokens(client);
    proxy.hang();
    const refused = await auth.post('/oauth2/introspect', { ...credentials(client), token: access_token });
    expect([refused.status, refused.body.error, refused.headers['retry-after']]).toEqual([
      503,
      'temporarily_unavailable',
      '2',
    ]);
    expect(await auth.isActive(access_token)).toBe(true);
  } finally {
    await auth.stop();
    await proxy.close();
  }
});
