import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '@tributary/test-environment';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type ClientCredentials, type User, admin, newUser } from '../suite/users';

const ready = readySuite();
const sandbox = ready.sandbox.health_system_id;
const redirectUri = 'https://app.example.org/back';

async function newClientOf(mode: 'live' | 'test'): Promise<ClientCredentials> {
  const words = ['--name', `${mode} journey`, '--redirect-uri', redirectUri, '--mode', mode, '--json'];
  const client = new Json(JSON.parse(await admin('client', 'create', ...words)));
  return { client_id: client.text('client_id'), client_secret: client.text('client_secret') };
}

describe('a live client', () => {
  let live: User;
  let test: User;
  beforeAll(async () => {
    live = await newUser(ready, await newClientOf('live'));
    test = await newUser(ready, await newClientOf('test'));
  });

  it('is recognized by its id and secret', () => {
    expect([live.client_id, live.client_secret]).toEqual([
      expect.stringMatching(/^live_/),
      expect.stringMatching(/^live_/),
    ]);
    expect(test.client_id).toMatch(/^test_/);
  });

  it('does not find the sandbox', async () => {
    const found = async (user: User, query: string): Promise<unknown[]> => {
      const reply = await http('POST', `${ready.search_url}/api/search?${query}`, {
        headers: bearer(user.access_token),
      });
      expect(reply.status).toBe(200);
      return reply.json.list('entry').map((entry) => new Json(entry).at('id'));
    };
    expect(await found(test, 'query=sandbox')).toContain(sandbox);
    for (const query of ['query=sandbox', 'connectable=true', ''])
      expect([query, await found(live, query)]).toEqual([query, expect.not.arrayContaining([sandbox])]);
  });

  it('does not connect a user to the sandbox', async () => {
    const link = ({ client_id, access_token }: User, accept: string): ReturnType<typeof http> =>
      http(
        'GET',
        `${ready.base_url}/connect/system/clinical/${sandbox}?${new URLSearchParams({ client_id, access_token }).toString()}`,
        { headers: { Accept: accept } },
      );
    expect((await link(test, 'application/json')).status).toBe(302);
    const refused = await link(live, 'application/json');
    expect([refused.status, refused.json.at('error_code')]).toEqual([404, 'health_system_not_found']);
    const page = await link(live, 'text/html');
    expect([page.status, page.headers.get('content-type'), page.text]).toEqual([
      404,
      expect.stringContaining('text/html'),
      expect.stringContaining('not in our directory'),
    ]);
    const connections = await http('GET', `${ready.base_url}/connect/v1/connections`, {
      headers: bearer(live.access_token),
    });
    expect(connections.json.list('entry')).toEqual([]);
  });

  // A suite in containers cannot send webhooks to a server on this machine.
  (process.env['JOURNEY_ADMIN'] ? describe.skip : describe)('with a webhook endpoint', () => {
    let server: Server;
    const received: { path: string | undefined; event: Json }[] = [];
    beforeAll(async () => {
      server = createServer((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          received.push({ path: request.url, event: new Json(JSON.parse(body)) });
          response.end();
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    it.each(['live', 'test'] as const)('gets events that carry its mode: %s', async (mode) => {
      const user = await newUser(ready, await newClientOf(mode));
      const headers = { client_id: user.client_id, client_secret: user.client_secret };
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${mode}`;
      const added = await http('POST', `${ready.base_url}/connect/v1/webhooks`, { headers, json: { url } });
      const tested = await http(
        'POST',
        `${ready.base_url}/connect/v1/webhooks/${added.json.text('endpoint_id')}/test`,
        { headers },
      );
      expect(tested.status).toBe(200);
      await http('DELETE', `${ready.base_url}/user-management/v1/user`, {
        headers,
        json: { service_user_id: user.service_user_id },
      });
      const typesOfMode = (): unknown[] =>
        received.filter(({ path }) => path === `/${mode}`).map(({ event }) => event.at('type'));
      await waitUntil(() => typesOfMode().includes('user.deleted'));
      expect(typesOfMode()).toEqual(['webhook.test', 'user.deleted']);
      for (const { path, event } of received) expect([path, event.at('mode')]).toEqual([path, path?.slice(1)]);
    });
  });
});
