import { type Developer, DeveloperConsoleUnderTest } from '../../../test/developer-console-under-test';
import type { Role } from '../schemas';

describe('the records of the users of a client', () => {
  let console: DeveloperConsoleUnderTest;
  let people: Record<Role | 'stranger', Developer>;
  let organisation: string;
  let client: string;
  /** The codes and tokens that work, with the secret that gave them. */
  let issued: Map<string, string>;
  let refusal: { status: number; body: string } | undefined;

  beforeAll(async () => {
    console = await DeveloperConsoleUnderTest.start();
    ({ organisation, people } = await console.newTeam());
  });
  beforeEach(() => {
    console.auth.clients.length = 0;
    client = console.auth.add(organisation).client_id;
    console.api.asked.length = 0;
    issued = new Map();
    refusal = undefined;
    console.api.answer = ({ url, headers, body }) => {
      const sent = (body === '' ? {} : JSON.parse(body)) as Record<string, string | number>;
      const name = `issued-${console.api.asked.length}`;
      if (url === '/base/user-management/v1/user/auth-code') {
        if (refusal) return refusal;
        issued.set(name, String(headers['client_secret']));
        const user = { service_user_id: sent['service_user_id'], app_user_id: 'one@example.org', active: true };
        return { body: JSON.stringify({ success: true, code: name, ...user }) };
      }
      if (url === '/auth/oauth2/token') {
        if (!issued.delete(String(sent['code']))) return { status: 400, body: '{"error":"invalid_grant"}' };
        issued.set(name, String(sent['client_secret']));
        const token = { access_token: name, refresh_token: 'refresh', token_type: 'Bearer', expires_in: 7200 };
        return { body: JSON.stringify({ ...token, scope: sent['scope'] }) };
      }
      const [, token = ''] = /^Bearer (.*)$/.exec(headers.authorization ?? '') ?? [];
      if (!issued.has(token)) return { status: 401 };
      return { headers: { 'Content-Type': 'application/fhir+json', ETag: 'W/"1"' }, body: '{"resourceType":"Bundle"}' };
    };
  });
  afterAll(() => console.stop());

  const read = ({ browser }: Developer, path = 'r4/$counts', user = '7') =>
    browser.get(`clients/${client}/users/${user}/${path}`);
  const urls = () => console.api.asked.map(({ method, url }) => `${method} ${url}`);
  const begin = ['POST /base/user-management/v1/user/auth-code', 'POST /auth/oauth2/token'];

  it('are read with a token of the user, for reading only, which names the developer and stays here', async () => {
    const answer = await read(people.developer, 'r4/Observation?code=a%7Cb&_count=2');
    expect([answer.status, answer.text, answer.headers['etag']]).toEqual([200, '{"resourceType":"Bundle"}', 'W/"1"']);
    expect(answer.headers['content-security-policy']).toBe("sandbox; default-src 'none'; frame-ancestors 'none'");
    expect(urls()).toEqual([...begin, 'GET /base/r4/Observation?code=a%7Cb&_count=2']);
    const [code, exchange, request] = console.api.asked;
    expect(JSON.parse(code?.body ?? '')).toEqual({ service_user_id: 7 });
    expect(JSON.parse(exchange?.body ?? '')).toMatchObject({ client_id: client, scope: 'patient/*.rs' });
    const acting = { clientId: client, developer: people.developer.id };
    expect(console.auth.secrets.get(String(code?.headers['client_secret']))).toEqual(acting);
    expect(console.auth.secrets.get(issued.get('issued-2') ?? '')).toEqual(acting);
    expect(request?.headers).toMatchObject({ authorization: 'Bearer issued-2' });
    for (const header of ['client_secret', 'cookie', 'origin']) expect(request?.headers[header]).toBeUndefined();
    expect(JSON.stringify([answer.headers, answer.text])).not.toMatch(/issued-|secret-/);
  });

  it('are read by owners and developers', async () => {
    const statuses: number[] = [];
    for (const role of ['owner', 'developer', 'read_only', 'stranger'] as const)
      statuses.push((await read(people[role])).status);
    expect(statuses).toEqual([200, 200, 403, 404]);
    expect((await console.browser().get(`clients/${client}/users/7/r4/$counts`)).status).toBe(401);
    expect(urls()).toHaveLength(6);
  });

  it('are not those of users of other clients, nor of users who are not active', async () => {
    for (const [status, error_code] of [
      [404, 'user_not_found'],
      [403, 'user_inactive'],
      [429, 'too_many_requests'],
    ] as const) {
      refusal = { status, body: JSON.stringify({ success: false, error_code, error: 'refused' }) };
      const { body, ...answer } = await read(people.owner);
      expect([answer.status, body.error_code]).toEqual([status, error_code]);
    }
    refusal = { status: 502, body: 'Bad Gateway' };
    expect((await read(people.owner)).body.error_code).toBe('temporarily_unavailable');
    expect(urls()).toEqual(Array.from({ length: 4 }, () => begin[0]));
    const others = console.auth.add(undefined).client_id;
    expect((await people.owner.browser.get(`clients/${others}/users/7/r4/$counts`)).status).toBe(404);
    expect(urls()).toHaveLength(4);
  });

  it('of a live client are counted only', async () => {
    console.auth.clients[0]!.mode = 'live';
    for (const path of [
      'r4/Patient',
      'r4/Patient/1',
      'r4/Patient/$everything',
      'r4/metadata',
      'r4/$counts/x',
      'r4/$meta',
    ])
      expect([path, (await read(people.owner, path)).status]).toEqual([path, 404]);
    expect(urls()).toEqual([]);
    for (const path of ['r4/$counts', 'dstu2/$counts?_releasePerSource=newest'])
      expect([path, (await read(people.owner, path)).status]).toEqual([path, 200]);
  });

  it.each([
    'r4/../user-management/v1/user',
    'r4/%2e%2e/%2E%2e/internal',
    'r4/Patient/..%2f..%2finternal',
    'r4/a%5Cb',
    'r5/Patient',
    'r4',
    '../base/r4/Patient',
  ])('are at no other address: %s', async (path) => {
    expect((await read(people.owner, path)).status).toBeGreaterThanOrEqual(400);
    expect(urls()).toEqual([]);
  });

  it.each(['0', '-1', 'seven', '7x'])('are of no user %s', async (user) => {
    expect((await read(people.owner, 'r4/Patient', user)).status).toBe(400);
    expect(urls()).toEqual([]);
  });

  it('are read with one token by each developer, which is replaced once when it is refused', async () => {
    await Promise.all([read(people.owner), read(people.owner, 'stu3/$counts')]);
    expect(urls().filter((url) => begin.includes(url))).toEqual(begin);
    await read(people.developer);
    expect(urls().filter((url) => begin.includes(url))).toEqual([...begin, ...begin]);
    issued.clear();
    console.api.asked.length = 0;
    expect((await read(people.owner)).status).toBe(200);
    expect(urls()).toEqual(['GET /base/r4/$counts', ...begin, 'GET /base/r4/$counts']);
    const { answer } = console.api;
    console.api.answer = (asked) => (asked.method === 'GET' ? { status: 401 } : answer(asked));
    console.api.asked.length = 0;
    expect((await read(people.owner)).status).toBe(401);
    expect(urls()).toEqual(['GET /base/r4/$counts', ...begin, 'GET /base/r4/$counts']);
  });

  it('are read with one new token when a refused one was used by several requests', async () => {
    await read(people.owner);
    issued.clear();
    console.api.asked.length = 0;
    const answers = await Promise.all(
      ['r4', 'stu3', 'dstu2'].map((release) => read(people.owner, `${release}/$counts`)),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(urls().filter((url) => begin.includes(url))).toEqual(begin);
  });

  it('are read after the temporary secret was refused', async () => {
    await read(people.owner);
    issued.clear();
    const { answer } = console.api;
    const ended = String(console.api.asked[0]?.headers['client_secret']);
    console.api.answer = (asked) => (asked.headers['client_secret'] === ended ? { status: 401 } : answer(asked));
    expect((await read(people.owner)).status).toBe(200);
  });

  it('are not read for other sites', async () => {
    const path = `clients/${client}/users/7/r4/Patient`;
    const answer = await people.owner.browser.send('get', path, undefined, { 'Sec-Fetch-Site': 'cross-site' });
    expect(answer.body.error_code).toBe('invalid_origin');
    expect(urls()).toEqual([]);
  });
});
