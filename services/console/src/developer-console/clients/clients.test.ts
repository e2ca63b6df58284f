import { type Developer, DeveloperConsoleUnderTest } from '../../../test/developer-console-under-test';
import type { Role } from '../schemas';

describe('client applications', () => {
  let console: DeveloperConsoleUnderTest;
  let people: Record<Role | 'stranger', Developer>;
  let organisation: string;
  beforeAll(async () => {
    console = await DeveloperConsoleUnderTest.start();
    ({ organisation, people } = await console.newTeam());
    await people.stranger.browser.post('organisations', { name: 'Others' });
  });
  beforeEach(() => {
    console.auth.clients.length = 0;
    console.api.asked.length = 0;
    console.api.answer = () => ({});
  });
  afterAll(() => console.stop());

  const roles = ['owner', 'developer', 'read_only', 'stranger'] as const;
  const statusesOf = async (call: (developer: Developer) => Promise<{ status: number }>): Promise<number[]> => {
    const statuses: number[] = [];
    for (const role of roles) statuses.push((await call(people[role])).status);
    return statuses;
  };

  describe('of an organisation', () => {
    const input = { mode: 'test', name: 'Better Sleep', redirect_uris: ['https://app.example/'] };

    it('are created by owners and developers, and listed by all members', async () => {
      const path = `organisations/${organisation}/clients`;
      expect(await statusesOf(({ browser }) => browser.post(path, input))).toEqual([201, 201, 403, 404]);
      expect(console.auth.created.map(({ developer }) => developer)).toEqual([people.owner.id, people.developer.id]);
      expect(await statusesOf(({ browser }) => browser.get(path))).toEqual([200, 200, 200, 404]);
      const { body } = await people.read_only.browser.get(path);
      expect(body.entry).toMatchObject([{ client_id: 'test-1' }, { client_id: 'test-2' }]);
      expect(JSON.stringify(body)).not.toContain('secret');
      expect(console.events.find(({ kind }) => kind === 'client.created')).toMatchObject({
        agent: { clientId: 'test-1', developer: people.owner.id },
        entities: [{ type: 'Organisation', id: organisation }],
        outcome: 'success',
      });
    });

    it('are live where the operator has allowed it', async () => {
      const create = () =>
        people.owner.browser.post(`organisations/${organisation}/clients`, { ...input, mode: 'live' });
      expect((await create()).body.error_code).toBe('live_clients_not_allowed');
      await console.pool.query('UPDATE organisation SET may_have_live_clients = true WHERE id = $1', [organisation]);
      expect((await create()).status).toBe(201);
    });

    it('are refused as auth refuses them', async () => {
      const { status, body } = await people.owner.browser.post(`organisations/${organisation}/clients`, {
        ...input,
        redirect_uris: ['http://app.example/'],
      });
      expect([status, body.error]).toEqual([400, 'redirect_uris.0: must be https']);
    });

    it('keep their organisation from being deleted', async () => {
      const { browser } = people.owner;
      const { id } = (await browser.post('organisations', { name: 'Short' })).body;
      console.auth.add(id);
      expect((await browser.delete(`organisations/${id}`)).body.error_code).toBe('organisation_has_clients');
      console.auth.clients.length = 0;
      expect((await browser.delete(`organisations/${id}`)).status).toBe(200);
    });
  });

  describe('call the public APIs', () => {
    let client: string;
    beforeEach(() => {
      client = console.auth.add(organisation).client_id;
    });

    it('by the same requests, with a secret that names the developer', async () => {
      console.api.answer = () => ({ status: 201, headers: { 'Retry-After': '7', 'X-Other': 'x' }, body: '{"a":1}' });
      const path = `clients/${client}/base/connect/v1/webhooks?limit=2&of=a%2Fb%20c`;
      const answer = await people.developer.browser.post(path, { url: 'https://app.example/é' });
      expect([answer.status, answer.body, answer.headers['retry-after']]).toEqual([201, { a: 1 }, '7']);
      expect(answer.headers['x-other']).toBeUndefined();
      const [asked] = console.api.asked;
      expect(asked).toMatchObject({
        method: 'POST',
        url: '/base/connect/v1/webhooks?limit=2&of=a%2Fb%20c',
        headers: {
          client_id: client,
          'content-type': 'application/json',
          'x-request-id': answer.headers['x-request-id'],
        },
        body: '{"url":"https://app.example/é"}',
      });
      expect(console.auth.secrets.get(String(asked?.headers['client_secret']))).toEqual({
        clientId: client,
        developer: people.developer.id,
      });
      expect(asked?.headers.cookie).toBeUndefined();
      expect(asked?.headers.origin).toBeUndefined();
    });

    it.each([
      ['get', 'base/user-management/v1/user', [200, 200, 200, 404]],
      ['post', 'base/user-management/v1/user', [200, 200, 403, 404]],
      ['get', 'base/connect/v1/connections?service_user_id=7', [200, 200, 403, 404]],
      ['get', 'base/connect/v1/c%6Fnnections?service_user_id=7', [404, 404, 404, 404]],
      ['get', 'base/connect/v1/connections/7/consent?service_user_id=7', [200, 200, 403, 404]],
      ['get', 'base/connect/v1/webhooks', [200, 200, 200, 404]],
      ['patch', 'auth/client-management/v1/client', [200, 200, 403, 404]],
      ['post', 'auth/client-management/v1/client/secret', [200, 200, 403, 404]],
      ['delete', 'auth/client-management/v1/client', [200, 403, 403, 404]],
      ['put', 'base/user-management/v1/user', [200, 200, 403, 404]],
      ['delete', 'base/user-management/v1/user', [200, 200, 403, 404]],
      ['get', 'base/user-management/v1/usage', [200, 200, 200, 404]],
      ['get', 'auth/client-management/v1/usage', [200, 200, 200, 404]],
      ['get', 'base/audit/v1/usage', [200, 200, 200, 404]],
      ['get', 'analytics/bulk-data/v1/usage', [200, 200, 200, 404]],
      ['get', 'base/audit/r4/AuditEvent?date=ge2026-11-22', [200, 200, 403, 404]],
      ['get', 'base/audit/r4/AuditEvent/7b0e4f6a-2c1d-4e3f-9a8b-5c6d7e8f9a0b.1z.0', [200, 200, 403, 404]],
      ['post', 'base/audit/r4/AuditEvent', [404, 404, 404, 404]],
      ['post', 'base/audit/v1/usage', [404, 404, 404, 404]],
      ['get', 'analytics/bulk-data/r4/$export', [200, 200, 403, 404]],
      ['get', 'analytics/bulk-data/r4/$export/Patient/token.ndjson', [200, 200, 403, 404]],
    ] as const)('%s %s as far as the role allows', async (method, path, expected) => {
      const body = method === 'get' ? undefined : { confirm: 'Better Sleep' };
      const call = ({ browser }: Developer) => browser.send(method, `clients/${client}/${path}`, body);
      expect(await statusesOf(call)).toEqual(expected);
      expect(console.api.asked).toHaveLength(expected.filter((status) => status === 200).length);
    });

    it('for pages of the console only', async () => {
      const path = `clients/${client}/analytics/bulk-data/r4/$export`;
      const from = (site: string) => people.owner.browser.send('get', path, undefined, { 'Sec-Fetch-Site': site });
      for (const site of ['cross-site', 'same-site']) expect((await from(site)).body.error_code).toBe('invalid_origin');
      expect(console.api.asked).toEqual([]);
      expect((await from('same-origin')).status).toBe(200);
    });

    it('for clients of an organisation only', async () => {
      const withoutOne = console.auth.add(undefined).client_id;
      for (const id of [withoutOne, 'unknown'])
        expect((await people.owner.browser.get(`clients/${id}/base/user-management/v1/user`)).status).toBe(404);
      expect(console.api.asked).toEqual([]);
    });

    it.each([
      'base/r4/Patient',
      'base/audit/r4/metadata',
      'base/audit/r4/AuditEvents',
      'base/audit/r4/AuditEvent/a/b',
      'base/internal/v1/x',
      'base/connect/v1/../../internal/v1/x',
      'base/connect/v1/%2e%2e/%2E%2e/internal',
      'base/connect/v1/a%2f..%2f..%2finternal',
      'base/connect/v1/a%5Cb',
      'auth/oauth2/token',
      'search/api/search',
    ])('nowhere else: %s', async (path) => {
      expect((await people.owner.browser.get(`clients/${client}/${path}`)).status).toBeGreaterThanOrEqual(400);
      expect(console.api.asked).toEqual([]);
    });

    it('with one secret for several calls, and another one when it has ended or is refused', async () => {
      const call = async (): Promise<string> => {
        const { status } = await people.owner.browser.get(`clients/${client}/base/connect/v1/webhooks`);
        expect(status).toBe(200);
        return String(console.api.asked.at(-1)?.headers['client_secret']);
      };
      const first = await call();
      expect(await call()).toBe(first);
      console.api.answer = ({ headers }) => ({ status: headers['client_secret'] === first ? 401 : 200 });
      const second = await call();
      expect(second).not.toBe(first);
      console.auth.secretLifeMs = 59_000;
      console.api.answer = ({ headers }) => ({ status: headers['client_secret'] === second ? 401 : 200 });
      const third = await call();
      expect(await call()).not.toBe(third);
      console.auth.secretLifeMs = 300_000;
    });

    it('whose large answers are passed on as they come', async () => {
      const line = `${JSON.stringify({ resourceType: 'Patient', id: 'x'.repeat(1000) })}\n`;
      console.api.answer = () => ({
        headers: { 'Content-Type': 'application/fhir+ndjson', 'Content-Disposition': 'attachment' },
        body: line.repeat(5000),
      });
      const { text, headers } = await people.owner.browser.get(`clients/${client}/analytics/bulk-data/r4/$export/a/b`);
      expect([text?.length, headers['content-disposition']]).toEqual([line.length * 5000, 'attachment']);
      expect(console.api.asked[0]?.headers['x-service-user-id']).toBe('client');
    });

    it('whose documents members of organisations and others read', async () => {
      const documents = { users: '/base/user-management', 'health-systems': '/search', fhir: '/base/fhir-store' };
      for (const [name, path] of Object.entries(documents)) {
        console.api.answer = () => ({ body: `{"openapi":"3.1.0","info":{"title":"${name}"}}` });
        const { status, body } = await people.stranger.browser.get(`documents/${name}`);
        expect([status, body.info.title]).toEqual([200, name]);
        expect(console.api.asked.at(-1)?.url).toBe(`${path}/openapi.json`);
        expect(console.api.asked.at(-1)?.headers['client_secret']).toBeUndefined();
      }
      expect((await people.owner.browser.get('documents/internal')).status).toBe(400);
      expect((await console.browser().get('documents/users')).status).toBe(401);
      console.api.answer = () => ({ status: 500 });
      expect((await people.owner.browser.get('documents/users')).status).toBe(503);
    });

    it('unless they are away', async () => {
      const { app } = console.replicas[0]!;
      expect(app).toBeDefined();
      console.api.answer = () => {
        throw new Error('unreachable');
      };
      await console.api.stop();
      const { status, body } = await people.owner.browser.get(`clients/${client}/base/connect/v1/webhooks`);
      expect([status, body.error_code]).toEqual([503, 'temporarily_unavailable']);
    });
  });
});
