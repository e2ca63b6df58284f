import { routesByLimit, startTcpProxy } from '@tributary/test-environment';
import request from 'supertest';
import { connectUrl, newPerson } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';
import { runForTest } from '../../test/running-service';

/** Each bucket gets one token in hours, so none is added during a test. */
const scene = connectionScene({
  RATE_LIMITS: [
    'connections-user=30/86400',
    'connect-user=3/86400',
    'connect-address=4/86400',
    'refresh-connection=2/86400',
    'refresh-client=5/86400',
    'webhook-test=1/86400',
  ].join(),
});

let addresses = 0;
/** An address without requests so far. */
const anyAddress = (): string => `198.18.0.${++addresses}`;

async function statusesOf(count: number, send: () => Promise<request.Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await send()).status);
  return statuses;
}

describe('rate limits', () => {
  const begin = (address: string): request.Test =>
    request(scene.service.app)
      .get(connectUrl(scene.person, scene.at.id).replace('http://tributary.test', ''))
      .set({ 'X-Forwarded-For': address });

  it('limit the sessions that a user begins, wherever they come from', async () => {
    expect(await statusesOf(5, () => begin(anyAddress()))).toEqual([302, 302, 302, 429, 429]);
    const refused = await begin(anyAddress());
    expect(refused.body).toMatchObject({ success: false, error_code: 'too_many_requests' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(20_000);
    const page = await begin(anyAddress()).set('Accept', 'text/html');
    expect([page.status, page.type]).toEqual([429, 'text/html']);
    await scene.begin();
    expect((await begin(anyAddress())).status).toBe(302);
  });

  it('limit the requests of an address to the connect pages, also without credentials', async () => {
    const address = anyAddress();
    const callback = (): request.Test =>
      request(scene.service.app).get('/connect/callback?state=unknown').set({ 'X-Forwarded-For': address });
    expect(await statusesOf(6, callback)).toEqual([400, 400, 400, 400, 429, 429]);
    expect((await begin(address)).status).toBe(429);
    // The address that the client names itself is not the one that the proxy saw.
    expect((await begin(`203.0.113.1, ${address}`)).status).toBe(429);
    expect((await begin(anyAddress())).status).toBe(302);
  });

  it('limit the collections of a connection and of all users of a client', async () => {
    const refresh = (path: string): Promise<request.Response> => scene.own('post', path);
    await scene.connected();
    const [entry] = await scene.connections();
    const path = `/${entry!.connection_id}/refresh`;
    const first = await refresh(path);
    expect(first.headers['ratelimit-policy']).toMatch(
      /^"refresh-connection";q=2;w=86400, "refresh-client";q=5;w=86400, /,
    );
    expect(await statusesOf(3, () => refresh(path))).toEqual([200, 429, 429]);
    // What was refused, or is not the user's own, uses up nothing of the client.
    expect(await statusesOf(8, () => refresh('/11111111-1111-4111-8111-111111111111/refresh'))).not.toContain(429);
  });

  it('limit the requests of a user to the connections routes', async () => {
    const person = await newPerson(scene.service);
    const listed = await scene.own('get', '', person.token);
    expect(listed.headers['ratelimit-policy']).toBe(
      '"connections-user";q=30;w=86400, "connections-client";q=60000;w=60',
    );
    const unknown = '/11111111-1111-4111-8111-111111111111';
    const read = await statusesOf(20, () => scene.own('get', unknown, person.token));
    expect(read).toEqual(Array(20).fill(404));
    const deleted = await statusesOf(12, () => scene.own('delete', unknown, person.token));
    expect(deleted).toEqual([...Array(9).fill(404), 429, 429, 429]);
    expect((await scene.own('get', '', (await newPerson(scene.service)).token)).status).toBe(200);
  });

  it('exist for every route that needs credentials', async () => {
    const { body } = await request(scene.service.app).get('/openapi.json');
    const { limited, unlimited } = routesByLimit(body);
    expect(unlimited).toEqual([]);
    expect(limited.length).toBeGreaterThan(10);
  });

  it('refuse a client on every route after wrong secrets', async () => {
    const { client_id } = scene.person.clientHeaders;
    const paths = ['/user-management/v1/user', '/connect/v1/webhooks', '/connect/v1/connections?service_user_id=1'];
    const send = (path: string, client_secret: string): Promise<request.Response> =>
      request(scene.service.app)
        .get(path)
        .set({ client_id, client_secret })
        .then((response) => response);
    let refused: request.Response | undefined;
    for (let attempts = 0; Number(refused?.headers['retry-after'] ?? 0) < 2 && attempts < 1000; attempts++)
      refused = await send(paths[attempts % 3]!, 'wrong');
    expect(refused?.body).toMatchObject({ success: false, error_code: 'too_many_failed_credentials' });
    for (const path of paths) expect((await send(path, scene.person.clientHeaders.client_secret)).status).toBe(429);
  });

  it('limit the tests and replays of webhooks, and not their management', async () => {
    const send = (method: 'get' | 'post', path: string): request.Test =>
      request(scene.service.app)[method](`/connect/v1/webhooks${path}`).set(scene.person.clientHeaders);
    const endpoint = '/11111111-1111-4111-8111-111111111111';
    const tested = await send('post', `${endpoint}/test`);
    expect(tested.status).toBe(404);
    expect(tested.headers['ratelimit-policy']).toBe(
      '"webhook-test";q=1;w=86400, "user-management-webhooks";q=300;w=3600',
    );
    expect((await send('post', `${endpoint}/test`)).status).toBe(429);
    expect((await send('post', `${endpoint}/replay`)).status).toBe(429);
    expect((await send('get', '')).status).toBe(200);
  });
});

it('a connect session cannot begin without Redis, and the rest of a connect session goes on', async () => {
  const proxy = await startTcpProxy(scene.service.environment['REDIS_URL']!);
  const service = await runForTest({ REDIS_URL: proxy.url });
  try {
    const person = await newPerson(service);
    proxy.hang();
    const address = connectUrl(person, 1).replace('http://tributary.test', '');
    const begun = await request(service.app).get(address);
    expect([begun.status, begun.headers['retry-after']]).toEqual([503, '2']);
    expect((await request(service.app).get('/connect/callback?state=unknown')).status).toBe(400);
  } finally {
    await service.stop();
    await proxy.close();
  }
});
