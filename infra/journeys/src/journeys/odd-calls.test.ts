import { type Reply, type Request, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type User, newAppUserId, newClient, newUser } from '../suite/users';

const ready = readySuite();
const users = `${ready.base_url}/user-management/v1/user`;
const webhooks = `${ready.base_url}/connect/v1/webhooks`;
const connections = `${ready.base_url}/connect/v1/connections`;
const link = `${ready.base_url}/connect/system/clinical/${ready.sandbox.health_system_id}`;
const search = `${ready.search_url}/api/search`;
const exporting = `${ready.analytics_url}/bulk-data/r4/$export`;
const [dstu2, r4] = [`${ready.base_url}/dstu2`, `${ready.base_url}/r4`];

/** The user and client of this file. */
let user: User;
let secrets: { client_id: string; client_secret: string };
let basic: { Authorization: string };
beforeAll(async () => {
  const client = await newClient(ready, 'odd calls journey');
  user = await newUser(ready, client);
  secrets = { client_id: client.client_id, client_secret: client.client_secret };
  basic = { Authorization: `Basic ${Buffer.from(Object.values(secrets).join(':')).toString('base64')}` };
});

const nobody = { client_id: 'nobody', client_secret: 'wrong' };
const text = (body: string, type = 'text/plain'): Request => ({
  headers: { ...secrets, 'Content-Type': type },
  body,
});
const form = (body: string): Request => text(body, 'application/x-www-form-urlencoded');
const multipart = (): Request =>
  text(
    '--x\r\nContent-Disposition: form-data; name="app_user_id"\r\n\r\na\r\n--x--\r\n',
    'multipart/form-data; boundary=x',
  );

/** The sentence of an error in each of the three formats. */
function sentenceOf({ json }: Reply): unknown {
  return json.at('error_description') ?? json.at('error') ?? json.at('issue', 0, 'diagnostics');
}

/** What a request is, the request, and the status and a part of the sentence of its error. */
type Mistake = [name: string, method: string, url: string, request: () => Request, status: number, sentence: string];

function mistakes(rows: Mistake[]): void {
  it.each(rows)('%s: %s %s', async (_name, method, url, request, status, sentence) => {
    const reply = await http(method, url, request());
    expect([reply.status, sentenceOf(reply)]).toEqual([status, expect.stringContaining(sentence)]);
    expect(reply.headers.get('x-request-id')).toMatch(/^[\w.:-]{1,128}$/);
  });
}

const sendHeaders = 'send the headers client_id and client_secret';
const sendForm = 'send the input as application/x-www-form-urlencoded or application/json, with this Content-Type';

describe('a mistake in the credentials is named', () => {
  mistakes([
    ['none', 'GET', users, () => ({}), 401, sendHeaders],
    ['none', 'POST', users, () => ({ form: { app_user_id: 'a' } }), 401, sendHeaders],
    ['HTTP Basic', 'GET', users, () => ({ headers: basic }), 401, sendHeaders],
    [
      'in the query of another call than a create',
      'GET',
      `${users}?client_id=a&client_secret=b`,
      () => ({}),
      401,
      sendHeaders,
    ],
    ['wrong ones', 'GET', users, () => ({ headers: nobody }), 401, 'client_id or client_secret is wrong'],
    ['none', 'GET', webhooks, () => ({}), 401, sendHeaders],
    ['none', 'GET', `${r4}/Patient`, () => ({}), 401, 'Authorization: Bearer <ACCESS_TOKEN>'],
    ['none', 'POST', search, () => ({}), 401, 'Authorization: Bearer <ACCESS_TOKEN>'],
    ['none', 'GET', connections, () => ({}), 401, 'Authorization: Bearer <ACCESS_TOKEN>'],
    [
      'none',
      'GET',
      exporting,
      () => ({}),
      401,
      'or the headers client_id, client_secret and x-service-user-id: client',
    ],
    [
      'HTTP Basic',
      'GET',
      exporting,
      () => ({ headers: { ...basic, 'x-service-user-id': 'client' } }),
      401,
      'HTTP Basic is not supported: send the headers client_id, client_secret and x-service-user-id: client',
    ],
    ['two kinds', 'GET', exporting, () => ({ headers: { ...bearer(user.access_token), ...secrets } }), 400, 'not both'],
    [
      'two kinds',
      'GET',
      connections,
      () => ({ headers: { ...bearer(user.access_token), ...secrets } }),
      400,
      'not both',
    ],
    ['no user', 'GET', exporting, () => ({ headers: secrets }), 400, 'x-service-user-id must be client'],
    ['no user', 'GET', connections, () => ({ headers: secrets }), 400, 'service_user_id is missing'],
    [
      'none',
      'POST',
      `${ready.auth_url}/oauth2/token`,
      () => ({ form: { grant_type: 'refresh_token' } }),
      401,
      'client',
    ],
  ]);
});

describe('a mistake in the input is named', () => {
  mistakes([
    ['text/plain', 'POST', users, () => text('app_user_id=a'), 415, sendForm],
    ['multipart', 'POST', users, multipart, 415, sendForm],
    ['text/plain', 'PUT', users, () => text('app_user_id=a'), 415, sendForm],
    ['a field twice', 'POST', users, () => form('app_user_id=a1&app_user_id=a2'), 400, 'app_user_id is given twice'],
    ['no field', 'POST', users, () => form(''), 400, 'app_user_id is missing'],
    ['no field', 'DELETE', users, () => form(''), 400, 'service_user_id is missing'],
    ['a list', 'POST', users, () => text('[]', 'application/json'), 400, 'the body must be an object'],
    ['no JSON', 'POST', users, () => text('{', 'application/json'), 400, 'the body cannot be read'],
    ['blank', 'POST', users, () => form('app_user_id=+++'), 400, 'app_user_id: must not be blank'],
    ['NUL', 'POST', users, () => form('app_user_id=a%00b'), 400, 'app_user_id: must not contain control characters'],
    ['too long', 'POST', users, () => form(`app_user_id=${'a'.repeat(256)}`), 400, 'at most 255 characters'],
    [
      'no number',
      'GET',
      `${users}?offset=first`,
      () => ({ headers: secrets }),
      400,
      'offset: must be an integer, 0 or more',
    ],
    [
      'no number',
      'POST',
      `${search}?offset=first`,
      () => ({ headers: bearer(user.access_token) }),
      400,
      'offset: must be an integer, 0 or more',
    ],
    [
      'no UUID',
      'GET',
      `${connections}/abc`,
      () => ({ headers: bearer(user.access_token) }),
      400,
      'connection_id: must be a UUID',
    ],
    [
      'a release that FHIR does not have',
      'GET',
      `${link}?client_id=a&access_token=b&fhirVersion=R9`,
      () => ({}),
      400,
      'fhirVersion: must be dstu2, stu3 or r4',
    ],
    ['no parameter of the link', 'GET', link, () => ({}), 400, 'client_id is missing; access_token is missing'],
    [
      'an unknown event',
      'POST',
      webhooks,
      () => ({ headers: secrets, json: { url: 'http://localhost:9/', events: ['x'] } }),
      400,
      'events: must be a list of connection.active, ',
    ],
    [
      'strict handling',
      'GET',
      `${exporting}?foo=1`,
      () => ({ headers: { ...bearer(user.access_token), Prefer: 'handling=strict' } }),
      400,
      'foo: not supported',
    ],
    [
      'strict handling',
      'GET',
      `${r4}/Condition?Code=1`,
      () => ({ headers: { ...bearer(user.access_token), Prefer: 'handling=strict' } }),
      400,
      'Code',
    ],
    [
      'JSON as a patch',
      'PATCH',
      `${r4}/Patient/a`,
      () => ({ headers: bearer(user.access_token), json: [] }),
      415,
      'send a JSON Patch as application/json-patch+json',
    ],
    [
      'JSON as a patch',
      'PATCH',
      `${dstu2}/Patient/a`,
      () => ({ headers: bearer(user.access_token), json: [] }),
      415,
      'send a JSON Patch as application/json-patch+json',
    ],
  ]);

  it('takes R4 and 4.0.1 as the release r4', async () => {
    for (const fhirVersion of ['R4', '4.0.1', 'r4']) {
      const query = new URLSearchParams({ client_id: user.client_id, access_token: user.access_token, fhirVersion });
      const { status, headers } = await http('GET', `${link}?${query}`);
      expect([fhirVersion, status, headers.get('location')]).toEqual([
        fhirVersion,
        302,
        expect.stringContaining('response_type=code'),
      ]);
    }
  });
});

describe('an unknown parameter is named', () => {
  const unknown = (name: string): [number, string] => [400, `${name} is an unknown parameter`];
  const ofClient = (): Request => ({ headers: secrets });
  const ofUser = (): Request => ({ headers: bearer(user.access_token) });
  mistakes([
    ['in the query', 'GET', `${users}?page=2`, ofClient, ...unknown('page')],
    [
      'in the query',
      'POST',
      `${users}?page=2`,
      () => ({ headers: secrets, form: { app_user_id: newAppUserId() } }),
      ...unknown('page'),
    ],
    ['in a form', 'POST', users, () => form(`app_user_id=${newAppUserId()}&name=Ida`), ...unknown('name')],
    [
      'in JSON',
      'POST',
      users,
      () => ({ headers: secrets, json: { app_user_id: newAppUserId(), name: 'Ida' } }),
      ...unknown('name'),
    ],
    ['in a form', 'POST', `${users}/auth-code`, () => form(`app_user_id=${newAppUserId()}&ttl=9`), ...unknown('ttl')],
    [
      'in JSON',
      'PUT',
      users,
      () => ({ headers: secrets, json: { service_user_id: 1, active: true, email: 'a' } }),
      ...unknown('email'),
    ],
    ['in a form', 'DELETE', users, () => form('service_user_id=1&force=true'), ...unknown('force')],
    ['in the query', 'DELETE', `${users}?service_user_id=1`, ofClient, 400, 'service_user_id belongs in the body'],
    ['in the query', 'POST', `${search}?limit=5`, ofUser, ...unknown('limit')],
    ['in JSON', 'POST', search, () => ({ ...ofUser(), json: { query: 'a', page: 2 } }), ...unknown('page')],
    ['in the query', 'GET', `${connections}?page=2`, ofUser, ...unknown('page')],
    [
      'in JSON',
      'POST',
      webhooks,
      () => ({ headers: secrets, json: { url: 'http://localhost:9/', event: 'x' } }),
      ...unknown('event'),
    ],
    [
      'in JSON',
      'PATCH',
      `${webhooks}/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`,
      () => ({ headers: secrets, json: { state: 'x' } }),
      ...unknown('state'),
    ],
    ['in the link', 'GET', `${link}?client_id=a&access_token=b&fhirversion=r4`, () => ({}), ...unknown('fhirversion')],
  ]);
});

describe('an address that does not exist is refused', () => {
  mistakes([
    [
      'the type in lower case',
      'GET',
      `${r4}/condition`,
      () => ({ headers: bearer(user.access_token) }),
      404,
      'no such resource type; similar: Condition',
    ],
    [
      'the release in upper case',
      'GET',
      `${ready.base_url}/R4/Condition`,
      () => ({ headers: bearer(user.access_token) }),
      404,
      'did you mean /r4?',
    ],
    [
      'the path in another case',
      'POST',
      `${ready.base_url}/user-management/v1/User`,
      () => form('app_user_id=a'),
      404,
      'did you mean /user-management/v1/user?',
    ],
    [
      'the path in another case',
      'POST',
      `${ready.search_url}/api/Search`,
      () => ({ headers: bearer(user.access_token) }),
      404,
      'did you mean /api/search?',
    ],
    [
      'the path in another case',
      'POST',
      `${ready.auth_url}/OAuth2/token`,
      () => ({}),
      404,
      'did you mean /oauth2/token?',
    ],
    [
      'the path in another case',
      'GET',
      `${ready.analytics_url}/bulk-data/R4/$export`,
      () => ({ headers: bearer(user.access_token) }),
      404,
      'did you mean /bulk-data/r4/$export?',
    ],
    [
      'no known path',
      'GET',
      `${ready.base_url}/user-management/v2/user`,
      () => ({ headers: secrets }),
      404,
      'there is nothing at this address',
    ],
    ['no known path', 'GET', `${ready.base_url}/nothing`, () => ({}), 404, 'there is nothing at this address'],
    [
      'another method',
      'PATCH',
      users,
      () => ({ headers: secrets }),
      405,
      'this address allows POST, GET, HEAD, PUT, DELETE',
    ],
    ['another method', 'GET', search, () => ({ headers: bearer(user.access_token) }), 405, 'this address allows POST'],
  ]);
});

describe('an offset past every end', () => {
  it.each(['9007199254740991', '9007199254740992', '99999999999999999999'])(
    '%s gives an empty page',
    async (offset) => {
      const listed = await http('GET', `${users}?offset=${offset}`, { headers: secrets });
      expect([listed.status, listed.json.value]).toEqual([
        200,
        { success: true, total: 1, offset: Number.MAX_SAFE_INTEGER, limit: 20, entry: [] },
      ]);
      const found = await http('POST', search, { headers: bearer(user.access_token), form: { offset } });
      expect([found.status, found.json.at('offset'), found.json.list('entry')]).toEqual([
        200,
        Number.MAX_SAFE_INTEGER,
        [],
      ]);
      for (const { headers } of [listed, found]) expect(headers.get('x-request-id')).toMatch(/\S/);
    },
  );
});
