import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import request from 'supertest';
import { z } from 'zod';
import type { ApiOptions } from './api';
import { type Authentication, anyone } from './authentication';
import { testApi } from '../../test/test-api';

const user: Authentication<undefined> = { scheme: 'bearer', authenticate: () => Promise.resolve(undefined) };
const client: Authentication<undefined> = { ...user, scheme: 'client' };
const query = z.object({ page: z.uuid().optional(), kind: z.enum(['a', 'b', 'c']).optional() });
const body = z.object({
  name: z.string().min(2).max(3),
  size: z.int().min(1).max(9).optional(),
  kind: z.enum(['a', 'b', 'c']).optional(),
  tags: z.array(z.string()).optional(),
  on: z.boolean().optional(),
  at: z.iso.datetime().optional(),
});

function app(options: Partial<ApiOptions> = {}): Express {
  const api = testApi(options);
  const shared = { summary: 'S', responses: {} };
  api.route(
    { ...shared, method: 'post', path: '/things', operationId: 'a', authentication: user, query, body },
    () => ({
      ok: true,
    }),
  );
  api.route({ ...shared, method: 'post', path: '/client', operationId: 'g', authentication: client, body }, () => ({
    ok: true,
  }));
  const bodyTypes = ['application/x-www-form-urlencoded'];
  api.route(
    { ...shared, method: 'post', path: '/form', operationId: 'f', authentication: user, body, bodyTypes },
    () => ({ ok: true }),
  );
  api.route({ ...shared, method: 'get', path: '/things', operationId: 'b', authentication: user, query }, () => ({}));
  api.route({ ...shared, method: 'post', path: '/bare', operationId: 'c', authentication: user }, () => ({ ok: true }));
  api.route({ ...shared, method: 'get', path: '/public', operationId: 'd', authentication: anyone }, () => ({}));
  api.route(
    { ...shared, method: 'get', path: '/loose', operationId: 'e', authentication: user, query: z.looseObject({}) },
    ({ query: all }) => all,
  );
  return api.express();
}

const errorOf = async (test: request.Test): Promise<[number, string]> => {
  const { status, body: answer } = await test;
  return [status, String((answer as { error?: unknown }).error)];
};

describe('input', () => {
  const api = app();

  it.each([
    [{}, 'name is missing'],
    [{ name: 7 }, 'name: must be a string'],
    [{ name: 'a' }, 'name: must have at least 2 characters'],
    [{ name: 'abcd' }, 'name: must have at most 3 characters'],
    [{ name: 'ab', size: 1.5 }, 'size: must be an integer'],
    [{ name: 'ab', size: 10 }, 'size: must be at most 9'],
    [{ name: 'ab', kind: 'zebra' }, 'kind: must be a, b or c'],
    [{ name: 'ab', tags: 'x' }, 'tags: must be a list'],
    [{ name: 'ab', on: 'maybe' }, 'on: must be true or false'],
    [{ name: 'ab', at: 'zebra' }, 'at: must be a date and time of ISO 8601, such as 2026-01-31T12:00:00Z'],
    [[], 'the body must be an object'],
    [{ name: 'ab', limit: 5, more: 1 }, 'limit is an unknown parameter; more is an unknown parameter'],
    [{ name: 'ab', 'a secret <value>': 5 }, 'a parameter is unknown'],
  ])('explains what is wrong with %j', async (sent, message) => {
    expect(await errorOf(request(api).post('/things').send(sent))).toEqual([400, message]);
  });

  it('says that a field of a form or query is given twice', async () => {
    const form = request(api).post('/things').type('form').send('name=ab&name=cd');
    expect(await errorOf(form)).toEqual([400, 'name is given twice']);
    expect(await errorOf(request(api).get('/things?kind=a&kind=b'))).toEqual([400, 'kind is given twice']);
    const json = request(api)
      .post('/things')
      .send({ name: ['ab'] });
    expect(await errorOf(json)).toEqual([400, 'name: must be a string']);
  });

  it('names the unknown parameters of query and body, also of routes without any', async () => {
    expect(await errorOf(request(api).get('/things?offset=2'))).toEqual([400, 'offset is an unknown parameter']);
    expect(await errorOf(request(api).post('/bare?full=1').send({ deep: 1 }))).toEqual([
      400,
      'full is an unknown parameter; deep is an unknown parameter',
    ]);
    expect(await errorOf(request(api).get('/things?page=zebra'))).toEqual([400, 'page: must be a UUID']);
  });

  it.each([
    ['/things?name=ab', {}, 'name belongs in the body'],
    ['/things?name=ab', { page: 'x' }, 'name belongs in the body; page belongs in the query'],
    ['/things?name=ab', { name: 'ac' }, 'name belongs in the body'],
    ['/things?size=2', { name: 'ab' }, 'size belongs in the body'],
    ['/things?constructor=1', { name: 'ab' }, 'constructor is an unknown parameter'],
    ['/client?client_secret=hidden', { name: 'ab' }, 'client_secret belongs in the headers'],
    ['/client', { name: 'ab', client_id: 'a' }, 'client_id belongs in the headers'],
  ])('says where a parameter belongs: %s %j', async (path, sent, message) => {
    expect(await errorOf(request(api).post(path).send(sent))).toEqual([400, message]);
  });

  it('says so also where unknown parameters are ignored', async () => {
    const lenient = app({ unknownParameters: 'ignored' });
    expect(await errorOf(request(lenient).post('/things?name=ab').send({}))).toEqual([400, 'name belongs in the body']);
  });

  it('ignores them at public documents, by a loose schema, and where the API says so', async () => {
    expect((await request(api).get('/public?cache=no')).status).toBe(200);
    expect((await request(api).get('/loose?any=1')).body).toEqual({ any: '1' });
    const lenient = app({ unknownParameters: 'ignored' });
    expect((await request(lenient).post('/things?x=1').send({ name: 'ab', y: 2 })).status).toBe(200);
  });

  it('refuses other media types', async () => {
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data; boundary=x'])
      expect(await errorOf(request(api).post('/things').set('Content-Type', type).send('name=ab'))).toEqual([
        415,
        'send the input as application/x-www-form-urlencoded or application/json, with this Content-Type',
      ]);
    expect((await request(api).post('/bare').set('Content-Type', 'text/plain')).status).toBe(200);
  });

  it('refuses JSON where the route takes forms only', async () => {
    expect((await request(api).post('/form').type('form').send('name=ab')).status).toBe(200);
    expect(await errorOf(request(api).post('/form').send({ name: 'ab' }))).toEqual([
      415,
      'send the input as application/x-www-form-urlencoded, with this Content-Type',
    ]);
  });

  it('distinguishes upper and lower case in paths', async () => {
    const message = 'there is nothing at this address';
    expect(await errorOf(request(api).get('/Public'))).toEqual([
      404,
      `${message}; did you mean /public? Paths are case-sensitive`,
    ]);
    expect(await errorOf(request(api).get('/nothing'))).toEqual([404, message]);
  });

  it('refuses a body by its declared length before it has arrived', async () => {
    const server = api.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const outgoing = httpRequest({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/things',
      headers: { 'Content-Type': 'application/json', 'Content-Length': 50_000_000 },
    });
    outgoing.on('error', () => undefined);
    outgoing.write('{');
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    outgoing.destroy();
    server.closeAllConnections();
    server.close();
  });
});
