import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import type { Request } from 'express';
import { serviceError } from '@tributary/contracts';
import request from 'supertest';
import { z } from 'zod';
import { openApiDocument } from '../open-api/document';
import { Api } from './api';
import { serviceKeyAuthentication } from '../authentication/service-authentication';
import { ServiceKeys } from '../config/secrets';
import { anyone } from './authentication';
import { operationOutcomeFormat, serviceErrorBody } from './error-formats';
import type { RouteResponse } from './route';
import { testApi } from '../../test/test-api';

function api(): Api {
  return testApi()
    .route(
      {
        method: 'post',
        path: '/things/{id}',
        operationId: 'changeThing',
        summary: 'Change',
        authentication: anyone,
        params: z.object({ id: z.string() }),
        body: z.object({ size: z.coerce.number().int(), name: z.string() }),
        responses: { 200: { description: 'ok', schema: z.object({ id: z.string() }) } },
      },
      ({ params, body }) => ({ id: params.id, size: body.size, name: body.name }),
    )
    .route(
      {
        method: 'get',
        path: '/bulk-data/r4/$export',
        operationId: 'export',
        summary: 'Export',
        authentication: anyone,
        responses: { 200: { description: 'ok' } },
      },
      () => ({ ok: true }),
    )
    .route(
      {
        method: 'get',
        path: '/broken',
        operationId: 'broken',
        summary: 'Broken',
        authentication: anyone,
        responses: {},
      },
      () => {
        throw new Error('a secret value 123-45-6789');
      },
    )
    .route(
      { method: 'get', path: '/away', operationId: 'away', summary: 'Away', authentication: anyone, responses: {} },
      () => {
        throw Object.assign(new Error('the database system is in recovery mode'), { code: '57P03' });
      },
    )
    .route(
      { method: 'get', path: '/cut', operationId: 'cut', summary: 'Cut', authentication: anyone, responses: {} },
      () => {
        throw new Error('Connection terminated unexpectedly');
      },
    )
    .route(
      { method: 'post', path: '/cut', operationId: 'cutPost', summary: 'Cut', authentication: anyone, responses: {} },
      () => {
        throw new Error('Connection terminated unexpectedly');
      },
    )
    .route(
      {
        method: 'post',
        path: '/cut-search',
        isSafe: true,
        operationId: 'cutSearch',
        summary: 'Cut',
        authentication: anyone,
        responses: {},
      },
      () => {
        throw new Error('Connection terminated unexpectedly');
      },
    );
}

describe('Api', () => {
  const app = api().express();

  it('accepts JSON and forms', async () => {
    const json = await request(app).post('/things/7').send({ size: 3, name: 'n' });
    const form = await request(app).post('/things/7').type('form').send({ size: '3', name: 'n' });
    expect(json.body).toEqual({ id: '7', size: 3, name: 'n' });
    expect(form.body).toEqual(json.body);
  });

  it('responds with 503 and Retry-After while the database is unavailable', async () => {
    const answer = await request(app).get('/away');
    expect([answer.status, answer.headers['retry-after'], answer.body.error_code]).toEqual([
      503,
      '2',
      'temporarily_unavailable',
    ]);
  });

  it('responds with 502 when a request that is not safe may have been carried out', async () => {
    const [read, write] = [await request(app).get('/cut'), await request(app).post('/cut')];
    expect([read.status, read.headers['retry-after']]).toEqual([503, '2']);
    const search = await request(app).post('/cut-search');
    expect([search.status, search.headers['retry-after']]).toEqual([503, '2']);
    expect([write.status, write.headers['retry-after'], write.body.error_code]).toEqual([
      502,
      undefined,
      'outcome_unknown',
    ]);
  });

  it('names every invalid field without quoting values', async () => {
    const answer = await request(app).post('/things/7').send({ size: 'zebra' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, error_code: 'invalid_request' });
    expect(answer.body.error).toContain('size');
    expect(answer.body.error).toContain('name is missing');
    expect(answer.text).not.toContain('zebra');
  });

  it('responds with 404 to unknown paths, 405 and Allow to other methods, 413 to bodies over 5 MB, 400 to malformed JSON', async () => {
    expect((await request(app).get('/nowhere')).status).toBe(404);
    const wrong = await request(app).delete('/things/7');
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'POST']);
    expect(
      (
        await request(app)
          .post('/things/7')
          .send({ name: 'x'.repeat(5_300_000) })
      ).status,
    ).toBe(413);
    const broken = await request(app).post('/things/7').type('json').send('{"name": "Zoe');
    expect(broken.status).toBe(400);
    expect(broken.text).not.toContain('Zoe');
  });

  it('responds with 400 to a body that cannot be decompressed', async () => {
    const answer = await request(app)
      .post('/things/7')
      .type('json')
      .set('Content-Encoding', 'gzip')
      .send('{"size": 3, "name": "n"}');
    expect([answer.status, answer.body.error_code]).toEqual([400, 'invalid_request']);
  });

  const bomb = Buffer.alloc(60_000_000, 0x20);
  it.each([
    ['gzip', 413, gzipSync(bomb)],
    ['br', 413, brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
    ['deflate', 413, deflateSync(bomb)],
    ['gzip, gzip', 415, gzipSync(gzipSync(bomb))],
  ])('does not expand a body of %s beyond the limit', async (encoding, status, compressed) => {
    expect(compressed.length).toBeLessThan(300_000);
    const answer = await request(app)
      .post('/things/7')
      .type('json')
      .set('Content-Encoding', encoding)
      .serialize((body: unknown) => body as never)
      .send(compressed as unknown as string);
    expect(answer.status).toBe(status);
  });

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('refuses %s that are nested too deeply', async (_what, open, close) => {
    const nested = (levels: number): string => `{"name":${open.repeat(levels)}1${close.repeat(levels)}}`;
    const send = (levels: number): request.Test => request(app).post('/things/7').type('json').send(nested(levels));
    const answer = await send(128);
    expect([answer.status, answer.body.error]).toEqual([
      400,
      'the body is nested too deeply: objects and arrays may have 128 levels',
    ]);
    expect((await send(500_000)).status).toBe(400);
    expect((await send(127)).body.error).not.toContain('nested');
  });

  it('parses the body before authentication where it can contain the credentials', async () => {
    const inBody = {
      scheme: 'oauth-client',
      readsBody: true,
      authenticate: (request: Request) => Promise.resolve(String((request.body as { who?: string }).who)),
    } as const;
    const app = testApi()
      .route(
        {
          method: 'post',
          path: '/me',
          operationId: 'me',
          summary: 'Me',
          authentication: inBody,
          body: z.object({ who: z.string() }),
          responses: {},
        },
        ({ principal }) => ({ principal }),
      )
      .express();
    expect((await request(app).post('/me').type('form').send({ who: 'Zoe' })).body).toEqual({ principal: 'Zoe' });
  });

  it('serves paths with a dollar sign', async () => {
    expect((await request(app).get('/bulk-data/r4/$export')).body).toEqual({ ok: true });
  });

  it('keeps an acceptable request id and replaces any other', async () => {
    expect((await request(app).get('/nowhere').set('X-Request-Id', 'abc-1')).headers['x-request-id']).toBe('abc-1');
    expect((await request(app).get('/nowhere').set('X-Request-Id', 'not sane!')).headers['x-request-id']).toMatch(
      /^[0-9a-f-]{36}$/,
    );
  });

  it('reveals nothing about an unexpected error', async () => {
    const answer = await request(app).get('/broken');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret');
  });

  it('generates its OpenAPI document', async () => {
    const document = (await request(app).get('/openapi.json')).body;
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths['/things/{id}'].post.requestBody.content['application/json'].schema.required).toEqual([
      'size',
      'name',
    ]);
    const wrong = await request(app).post('/openapi.json');
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('has its document at another path, and a session as the credentials', async () => {
    const path = '/console/openapi.json';
    const withSessions = testApi({
      documentation: { path },
      errorBody: { schema: serviceError, body: serviceErrorBody },
    })
      .route(
        {
          method: 'get',
          path: '/console/things',
          operationId: 'listThings',
          summary: 'List',
          authentication: { scheme: 'session', authenticate: () => Promise.resolve({}) },
          responses: {},
        },
        () => ({}),
      )
      .express();
    expect((await request(withSessions).get('/openapi.json')).status).toBe(404);
    const { body } = await request(withSessions).get(path);
    const { security, responses } = body.paths['/console/things'].get;
    expect(security).toEqual([{ console_session: [] }]);
    expect(Object.keys(responses[401].content['application/json'].examples)).toEqual(['not_signed_in']);
    expect(responses[401].headers['WWW-Authenticate']).toBeUndefined();
    const { headers } = await request(withSessions).get('/console/things').set('Origin', 'https://elsewhere.example');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('gives the document of an internal API to its callers only', async () => {
    const serviceKeys = ServiceKeys.of({ worker: 'the-key-of-the-worker' });
    const internal = testApi({ documentation: { serviceKeys } })
      .route(
        {
          method: 'get',
          path: '/internal/v1/things',
          operationId: 'listThings',
          summary: 'List',
          authentication: serviceKeyAuthentication(serviceKeys, ['worker']),
          responses: {},
        },
        () => ({}),
      )
      .express();
    const path = '/internal/openapi.json';
    expect((await request(internal).get('/openapi.json')).status).toBe(404);
    expect((await request(internal).get(path)).status).toBe(401);
    expect((await request(internal).post(path)).status).toBe(401);
    expect((await request(internal).get(path).auth('worker', 'wrong')).status).toBe(401);
    const { body, headers } = await request(internal).get(path).auth('worker', 'the-key-of-the-worker');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(body.paths['/internal/v1/things'].get.security).toEqual([{ service_key: [] }]);
    expect(body.components.securitySchemes.service_key).toMatchObject({ type: 'http', scheme: 'basic' });
    const wrong = await request(internal).post(path).auth('worker', 'the-key-of-the-worker');
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  describe('documents errors', () => {
    const withResponse = (response: RouteResponse): Api =>
      testApi({ errorBody: { schema: z.looseObject({}), body: serviceErrorBody } }).route(
        {
          method: 'get',
          path: '/thing',
          operationId: 'readThing',
          summary: 'Read',
          authentication: anyone,
          responses: { 404: response },
        },
        () => ({}),
      );

    it('with an example of each code', async () => {
      const app = withResponse({ description: 'None.', codes: ['user_not_found', 'connection_not_found'] }).express();
      const { paths } = (await request(app).get('/openapi.json')).body;
      expect(paths['/thing'].get.responses['404'].content['application/json'].examples).toEqual({
        user_not_found: {
          value: {
            success: false,
            error: 'this client has no such user, or the user was deleted',
            error_code: 'user_not_found',
          },
        },
        connection_not_found: {
          value: { success: false, error: 'this user has no such connection', error_code: 'connection_not_found' },
        },
      });
    });

    it('and has no document with codes of another status', async () => {
      const api = withResponse({ description: 'None.', codes: ['user_inactive'] });
      expect((await request(api.express()).get('/openapi.json')).status).toBe(500);
      const about = {
        title: 'T',
        description: 'D',
        serverUrl: '',
        errorBody: { schema: z.looseObject({}), body: serviceErrorBody },
      };
      expect(() => openApiDocument(about, api.routes, [])).toThrow(
        'the response 404 of readThing needs codes of the error catalogue',
      );
    });
  });

  it('documents webhooks', async () => {
    const calling = testApi();
    calling.describeWebhook({
      name: 'thing.made',
      summary: 'A thing was made',
      description: '',
      headers: z.object({ 'webhook-id': z.string() }),
      body: z.object({ type: z.literal('thing.made') }),
      responses: { '2XX': { description: 'Taken.' } },
    });
    const { webhooks } = (await request(calling.express()).get('/openapi.json')).body;
    expect(webhooks['thing.made'].post.parameters).toMatchObject([{ name: 'webhook-id', in: 'header' }]);
    expect(webhooks['thing.made'].post.requestBody.content['application/json'].schema.required).toEqual(['type']);
  });

  it('renders errors as OperationOutcome in that format', async () => {
    const fhir = testApi({ errorFormat: operationOutcomeFormat }).express();
    const answer = await request(fhir).get('/Patient');
    expect(answer.headers['content-type']).toContain('application/fhir+json');
    expect(JSON.parse(answer.text)).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code: 'not-found' }],
    });
  });
});
