import { type Answer, DocumentedAnswers } from './documented-answers';
import { readySuite } from './ready';

const ready = readySuite();
const user = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
  required: ['id'],
};
const document = {
  openapi: '3.1.0',
  paths: {
    '/users/{id}': {
      get: {
        responses: {
          200: {
            headers: { ETag: {}, 'X-Request-Id': {} },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/User' } } },
          },
          404: { $ref: '#/components/responses/NotFound' },
          '5XX': { headers: { 'X-Request-Id': {} } },
        },
      },
    },
  },
  components: {
    schemas: { User: user },
    responses: {
      NotFound: {
        headers: { 'X-Request-Id': {} },
        content: {
          'application/json': {
            schema: { type: 'object', required: ['error_code'] },
            examples: { user_not_found: {} },
          },
        },
      },
    },
  },
};
const documented = new DocumentedAnswers(ready, () => Promise.resolve(Response.json(document)));

function problems(answer: Partial<Answer>, headers: Record<string, string> = {}): Promise<string[]> {
  return documented.problems({
    method: 'GET',
    url: `${ready.base_url}/users/7`,
    status: 200,
    hasBody: true,
    text: '{"id":7}',
    ...answer,
    headers: new Headers({ 'Content-Type': 'application/json; charset=utf-8', 'X-Request-Id': 'a', ...headers }),
  });
}
const notFound = '{"success":false,"error":"a","error_code":"not_found"}';
const at = (path: string, status: number): string => `GET ${ready.base_url}${path} ${status}`;

describe('a response is compared with its OpenAPI document', () => {
  it('has no problem when everything is documented', async () => {
    expect(await problems({}, { ETag: 'W/"1"', Date: 'now' })).toEqual([]);
    expect(await problems({ method: 'HEAD', hasBody: false })).toEqual([]);
    expect(await problems({ status: 404, text: '{"error_code":"user_not_found"}' })).toEqual([]);
  });

  it.each<[string, Partial<Answer>, Record<string, string>, string]>([
    ['a status', { status: 409 }, {}, 'undocumented status'],
    ['a header', {}, { 'X-Secret': '1' }, 'undocumented header x-secret'],
    ['a media type', { text: 'seven' }, { 'Content-Type': 'text/plain' }, 'undocumented media type text/plain'],
    ['a body where none is documented', { status: 500 }, {}, 'undocumented media type application/json'],
    ['a value', { text: '{"id":"7"}' }, {}, 'the body: data/id must be integer'],
    ['a missing member', { text: '{}' }, {}, "the body: data must have required property 'id'"],
    [
      'a member without a schema',
      { text: '{"id":7,"age":1}' },
      {},
      'the body: data must NOT have additional properties',
    ],
    [
      'the body of an error',
      { status: 404, text: '{}' },
      {},
      "the body: data must have required property 'error_code'",
    ],
    ['an error code', { status: 404, text: '{"error_code":"revoked"}' }, {}, 'undocumented error code revoked'],
  ])('reports %s', async (_, answer, headers, problem) => {
    expect(await problems(answer, headers)).toEqual([`${at('/users/{id}', answer.status ?? 200)}: ${problem}`]);
  });

  it('reports paths and methods that succeed without documentation', async () => {
    const url = `${ready.base_url}/groups`;
    expect(await problems({ url })).toEqual([`${at('/groups', 200)}: undocumented path`]);
    expect(await problems({ url, status: 404, text: notFound })).toEqual([]);
    expect(await problems({ method: 'PUT' })).toEqual([`PUT ${ready.base_url}/users/{id} 200: undocumented method`]);
    expect(await problems({ method: 'PUT', status: 405, text: notFound })).toEqual([]);
  });

  it('compares a method that only the less specific path has with that path', async () => {
    const paths = {
      '/{release}/Binary/{id}': { get: { responses: { 200: {} } } },
      '/{release}/{type}/{id}': { delete: { responses: { 204: { headers: { 'X-Request-Id': {} } } } } },
    };
    const ofFhir = new DocumentedAnswers(ready, () => Promise.resolve(Response.json({ paths, components: {} })));
    const answer = {
      url: `${ready.base_url}/r4/Binary/1`,
      hasBody: false,
      headers: new Headers({ 'X-Request-Id': 'a' }),
    };
    expect(await ofFhir.problems({ ...answer, method: 'DELETE', status: 204 })).toEqual([]);
    expect(await ofFhir.problems({ ...answer, method: 'GET', status: 204 })).toEqual([
      `${at('/{release}/Binary/{id}', 204)}: undocumented status`,
    ]);
  });

  it('reports errors of addresses without documentation that have not the format of the API', async () => {
    const { base_url, auth_url, search_url, analytics_url } = ready;
    const oauth = '{"error":"not_found","error_description":"a"}';
    const outcome = '{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":"not-found"}]}';
    for (const [base, right, wrong] of [
      [base_url, notFound, outcome],
      [base_url, notFound, '{"success":false,"error":"a","error_code":"unheard_of"}'],
      [base_url, notFound, '<!doctype html>'],
      [search_url, notFound, oauth],
      [auth_url, oauth, notFound],
      [`${base_url}/r4`, outcome, notFound],
      [analytics_url, outcome, oauth],
    ] as const) {
      const url = `${base}/groups`;
      expect(await problems({ url, status: 404, text: right })).toEqual([]);
      expect(await problems({ url, status: 404, text: wrong })).toEqual([
        `GET ${url} 404: the body is no error of this API`,
      ]);
    }
    const page = { 'Content-Type': 'text/html; charset=utf-8' };
    expect(await problems({ url: `${base_url}/connect/groups`, status: 404, text: '<p>' }, page)).toEqual([]);
  });

  it('reports responses without X-Request-Id', async () => {
    const headers = new Headers({ 'Content-Type': 'application/json' });
    const answer = { method: 'GET', hasBody: true, headers };
    const url = `${ready.base_url}/users/7`;
    expect(await documented.problems({ ...answer, url, status: 200, text: '{"id":7}' })).toEqual([
      `${at('/users/{id}', 200)}: no header x-request-id`,
    ]);
    expect(
      await documented.problems({ ...answer, url: `${ready.base_url}/groups`, status: 404, text: notFound }),
    ).toEqual([`${at('/groups', 404)}: no header x-request-id`]);
  });

  it('concerns the APIs of the suite, without pages and the documents themselves', () => {
    const { base_url, auth_url } = ready;
    const urls = [`${base_url}/r4`, `${auth_url}/oauth2/token`, `${base_url}/`, `${base_url}/r4/openapi.json`];
    expect(urls.map((url) => documented.concerns('GET', url))).toEqual([true, true, false, false]);
    expect(documented.concerns('OPTIONS', `${base_url}/r4`)).toBe(false);
    expect(documented.concerns('GET', 'http://127.0.0.1:9/r4')).toBe(false);
  });
});
