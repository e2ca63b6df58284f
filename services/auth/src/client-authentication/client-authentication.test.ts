import request, { type Test } from 'supertest';
import { AuthUnderTest, credentials } from '../../test/auth-under-test';
import type { ClientWithSecret } from '../clients/client-applications';

describe('client authentication', () => {
  let auth: AuthUnderTest;
  let client: ClientWithSecret;
  beforeAll(async () => {
    auth = await AuthUnderTest.start();
    client = await auth.client();
  });
  afterAll(() => auth.stop());

  function introspect(header?: string, body: Record<string, string> = {}): Test {
    const call = request(auth.publicApp).post('/oauth2/introspect').type('form');
    return (header === undefined ? call : call.set('Authorization', header)).send({ token: 'x', ...body });
  }
  const basic = (id: string, secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

  it('accepts HTTP Basic, form-encoded or not, and credentials in the body', async () => {
    const percent = (text: string): string => [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
    expect((await introspect(basic(client.client_id, client.client_secret))).status).toBe(200);
    expect((await introspect(basic(percent(client.client_id), percent(client.client_secret)))).status).toBe(200);
    expect(
      (await introspect(basic(client.client_id, client.client_secret), { client_id: client.client_id })).status,
    ).toBe(200);
    expect((await introspect(undefined, credentials(client))).status).toBe(200);
  });

  it('responds 401 invalid_client when the credentials are wrong or missing, with a challenge after HTTP Basic', async () => {
    const { client_id, client_secret } = client;
    const withoutBasic = await Promise.all([
      introspect(),
      introspect(undefined, { client_id }),
      introspect(undefined, { client_secret }),
      introspect(undefined, { client_id, client_secret: '' }),
      introspect(undefined, { client_id, client_secret: `${client_secret}x` }),
      introspect(undefined, { client_id: `${client_id}\u0000`, client_secret }),
      introspect(undefined, { client_id: 'nobody', client_secret }),
      introspect(`Bearer ${client_secret}`),
      introspect(`Bearer ${client_secret}`, credentials(client)),
    ]);
    const withBasic = await Promise.all([
      introspect(basic(client_id, 'wrong')),
      introspect(basic(client_id, '%zz')),
      introspect(basic('', '')),
      introspect('Basic'),
      introspect('Basic !!!'),
      introspect(`Basic ${Buffer.from(client_id).toString('base64')}`),
    ]);
    for (const [answers, challenge] of [
      [withoutBasic, undefined],
      [withBasic, 'Basic realm="tributary"'],
    ] as const)
      for (const answer of answers) {
        expect([answer.status, answer.headers['www-authenticate'], answer.body]).toEqual([
          401,
          challenge,
          { error: 'invalid_client', error_description: expect.any(String) },
        ]);
        expect(answer.headers['x-request-id']).toBeDefined();
        expect(answer.text).not.toContain(client_secret);
      }
    expect(withoutBasic.slice(0, 5).map(({ body }) => body.error_description)).toEqual([
      expect.stringMatching(/^client credentials are missing: send HTTP Basic/),
      'client_secret is missing',
      'client_id is missing',
      'client_secret is missing',
      'client_id or client_secret is wrong',
    ]);
  });

  it('refuses two authentication methods in one request', async () => {
    const header = basic(client.client_id, client.client_secret);
    for (const body of [credentials(client), { client_secret: client.client_secret }, { client_id: 'another' }]) {
      const answer = await introspect(header, body);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    }
  });
});
