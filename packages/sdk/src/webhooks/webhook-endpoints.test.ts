import { type LocalServer, localServer, sendJson } from '../../test/local-server.ts';
import { TributaryServer } from '../tributary-server.ts';

const endpoint = '9c2b7e54-1d3a-4f86-8a90-6b7c8d9e0f21';
const path = `/connect/v1/webhooks/${endpoint}`;

let server: LocalServer | undefined;
afterEach(() => server?.close());

async function client(answer: (url: URL, text: string) => [status: number, body: unknown]): Promise<TributaryServer> {
  server = await localServer(({ url, text }, response) => {
    sendJson(response, ...answer(new URL(String(url), 'http://localhost'), text));
  });
  return new TributaryServer({ ...server.addresses, clientId: 'c', clientSecret: 's', maxRetryDelayMs: 1 });
}

describe('webhook endpoints', () => {
  it('are changed by what is given, also when a response is lost', async () => {
    const bodies: unknown[] = [];
    const tributary = await client((_url, text) => {
      bodies.push(JSON.parse(text));
      return bodies.length === 1 ? [502, {}] : [200, { success: true, endpoint_id: endpoint }];
    });
    await tributary.webhooks.update(endpoint, { events: null, status: 'disabled' });
    expect(server?.requests).toEqual([`PATCH ${path}`, `PATCH ${path}`]);
    expect(bodies).toEqual(Array(2).fill({ events: null, status: 'disabled' }));
  });

  it('have deliveries, which are read page by page while they are consumed', async () => {
    const queries: Record<string, string>[] = [];
    const tributary = await client(({ searchParams }) => {
      queries.push(Object.fromEntries(searchParams));
      const page = Number(searchParams.get('cursor') ?? 0);
      const entry = [{ webhook_id: `msg_${page}a` }, { webhook_id: `msg_${page}b` }];
      return [200, { success: true, limit: 2, entry, ...(page < 5 ? { next_cursor: String(page + 1) } : {}) }];
    });
    const since = new Date('2026-01-31T12:00:00Z');
    const seen: string[] = [];
    for await (const { webhook_id } of tributary.webhooks.deliveries(endpoint, { state: 'missed', since })) {
      seen.push(webhook_id);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual(['msg_0a', 'msg_0b', 'msg_1a']);
    const filter = { state: 'missed', since: '2026-01-31T12:00:00.000Z', limit: '100' };
    expect(queries).toEqual([filter, { ...filter, cursor: '1' }]);

    const all: string[] = [];
    for await (const { webhook_id } of tributary.webhooks.deliveries(endpoint, { limit: 2 })) all.push(webhook_id);
    expect([all.length, new Set(all).size]).toEqual([12, 12]);
  });

  it('are sent events again, but not twice when a response is lost', async () => {
    const tributary = await client(() => [502, {}]);
    const replay = tributary.webhooks.replay(endpoint, { since: '2026-01-31T12:00:00+01:00', state: 'failed' });
    await expect(replay).rejects.toMatchObject({ name: 'ApiError', status: 502 });
    await expect(tributary.webhooks.replayDelivery(endpoint, 'msg_1')).rejects.toMatchObject({ status: 502 });
    expect(server?.requests).toEqual([`POST ${path}/replay`, `POST ${path}/deliveries/msg_1/replay`]);
  });
});

describe('the connections of a user, by client credentials', () => {
  it('are named by service_user_id in every request', async () => {
    const tributary = await client(() => [200, { success: true, entry: [{ status: 'active' }] }]);
    const connections = tributary.connections(1001);
    await connections.list();
    await connections.get('a');
    await connections.refresh('a');
    await connections.refresh('a', { full: true });
    await connections.disconnect('a');
    await connections.waitUntilCollected();
    const root = '/connect/v1/connections';
    expect(server?.requests).toEqual([
      `GET ${root}?service_user_id=1001`,
      `GET ${root}/a?service_user_id=1001`,
      `POST ${root}/a/refresh?service_user_id=1001`,
      `POST ${root}/a/refresh?full=true&service_user_id=1001`,
      `DELETE ${root}/a?service_user_id=1001`,
      `GET ${root}?service_user_id=1001`,
    ]);
  });

  it('require the client secret', async () => {
    server = await localServer((_request, response) => sendJson(response, 200, {}));
    const tributary = new TributaryServer({
      ...server.addresses,
      clientId: 'c',
      privateKey: { key: {}, kid: 'k', algorithm: 'ES384' },
    });
    await expect(tributary.connections(1001).list()).rejects.toThrow('clientSecret is required');
    expect(server.requests).toEqual([]);
  });
});

describe('the API of a user that a webhook names', () => {
  it('is opened by service_user_id, without creating a user', async () => {
    const bodies: string[] = [];
    const tributary = await client(({ pathname }, text) => {
      bodies.push(text);
      return pathname === '/oauth2/token'
        ? [200, { access_token: 'a', refresh_token: 'r', token_type: 'Bearer', expires_in: 7200, scope: 'user' }]
        : [200, { success: true, code: 'code', service_user_id: 1001, app_user_id: 'x', active: true }];
    });
    await tributary.openUser({ service_user_id: 1001 });
    expect(server?.requests).toEqual(['POST /user-management/v1/user/auth-code', 'POST /oauth2/token']);
    expect(bodies[0]).toBe('{"service_user_id":1001}');
    expect(bodies[1]).toContain('code=code');
  });
});
