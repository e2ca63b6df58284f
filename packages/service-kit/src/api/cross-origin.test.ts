import request from 'supertest';
import { Api } from './api';
import { type Authentication, anyone, browserNavigation } from './authentication';
import { HttpError } from './http-error';
import { testApi } from '../../test/test-api';

const refuses = (scheme: Authentication<undefined>['scheme']): Authentication<undefined> => ({
  scheme,
  authenticate: () => Promise.reject(new HttpError('invalid_token', 'refused')),
});

function api(): Api {
  const api = testApi({ serverUrl: 'http://h' });
  const add = (method: 'get' | 'post', path: string, authentication: Authentication<undefined>): Api =>
    api.route({ method, path, operationId: `${method}${path}`, summary: 'S', authentication, responses: {} }, () => ({
      ok: true,
    }));
  add('get', '/public', anyone);
  add('get', '/navigation', browserNavigation);
  add('get', '/bearer', refuses('bearer'));
  add('post', '/bearer', refuses('bearer'));
  add('get', '/either', refuses('bearer-or-client'));
  add('get', '/user', refuses('user-or-client'));
  add('post', '/secret', refuses('client'));
  add('post', '/token', refuses('oauth-client'));
  add('post', '/service', refuses('service'));
  return api;
}

const corsHeadersOf = (headers: object): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('cross-origin access', () => {
  const app = api().express();

  it('lets pages of every origin read public responses and errors behind a bearer token', async () => {
    for (const [path, status] of [
      ['/public', 200],
      ['/bearer', 401],
      ['/either', 401],
      ['/user', 401],
      ['/openapi.json', 200],
    ] as const) {
      const { headers, status: answered } = await request(app).get(path).set('Origin', 'https://app.example');
      expect([answered, headers['access-control-allow-origin'], headers['cross-origin-resource-policy']]).toEqual([
        status,
        '*',
        'cross-origin',
      ]);
      expect(headers['access-control-expose-headers']).toMatch(/ETag.*X-Request-Id.*WWW-Authenticate/);
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('lets pages read that a method is not allowed', async () => {
    const { status, headers } = await request(app).delete('/bearer');
    expect([status, headers['access-control-allow-origin']]).toEqual([405, '*']);
  });

  it('answers a preflight request with the methods of the path and the requested headers, without those of secrets', async () => {
    const { status, headers, text } = await request(app)
      .options('/bearer')
      .set('Origin', 'https://app.example')
      .set('Access-Control-Request-Method', 'POST')
      .set(
        'Access-Control-Request-Headers',
        'authorization, x-medplum,client_secret , Client_Id,x-service-user-id, b\u00e4',
      );
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({
      allow: 'GET, HEAD, POST, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': 'authorization, x-medplum',
      'access-control-max-age': '7200',
      vary: 'Access-Control-Request-Headers',
    });
  });

  it.each(['/secret', '/token', '/service', '/navigation'])(
    'answers OPTIONS of %s with Allow and gives no access to other origins',
    async (path) => {
      const preflight = await request(app)
        .options(path)
        .set('Origin', 'https://app.example')
        .set('Access-Control-Request-Method', 'POST');
      expect([preflight.status, preflight.headers['allow']]).toEqual([204, expect.stringMatching(/OPTIONS$/)]);
      const responses = [preflight, await request(app).post(path), await request(app).get(path)];
      expect(responses.flatMap(({ headers }) => corsHeadersOf(headers))).toEqual([]);
      expect(responses.map(({ headers }) => headers['cross-origin-resource-policy'])).not.toContain('cross-origin');
    },
  );

  it('gives no access to a response to client credentials where a bearer token would do as well', async () => {
    for (const name of ['client_id', 'client_secret', 'x-service-user-id']) {
      const { headers } = await request(app).get('/either').set(name, 'value');
      expect(corsHeadersOf(headers)).toEqual([]);
    }
  });
});
