import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuthUnderTest } from '../../test/auth-under-test';
import {
  type Differences,
  type SigningKey,
  asserting,
  assertion,
  keySetOf,
  signingKey,
} from '../../test/signing-client';

interface Published {
  keys: SigningKey[];
  status: number;
  headers: Record<string, string>;
  body?: string;
  calls: number;
}

describe('keys at a JWKS URL', () => {
  let auth: AuthUnderTest;
  let strict: AuthUnderTest;
  let server: Server;
  const published = new Map<string, Published>();
  beforeAll(async () => {
    [auth, strict] = await Promise.all([AuthUnderTest.start({ sandboxMode: true }), AuthUnderTest.start()]);
    server = createServer((incoming, response) => {
      const set = published.get(incoming.url ?? '');
      if (set) set.calls++;
      response.writeHead(set?.status ?? 404, { 'Content-Type': 'application/json', ...set?.headers });
      response.end(set?.body ?? JSON.stringify(keySetOf(...(set?.keys ?? []))));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await Promise.all([auth.stop(), strict.stop()]);
  });

  const urlOf = (path: string): string => `http://localhost:${(server.address() as AddressInfo).port}${path}`;

  /** A client that publishes keys, and a function that requests a token. */
  async function publisher(
    set: Partial<Published>,
    suite = auth,
  ): Promise<{
    set: Published;
    url: string;
    ask(key: SigningKey, differences?: Differences): Promise<[number, string]>;
  }> {
    const path = `/${published.size}.json`;
    const full = { keys: [], status: 200, headers: {}, calls: 0, ...set };
    published.set(path, full);
    const { client_id } = await suite.client('Publisher', { jwks_url: urlOf(path) });
    const ask = async (key: SigningKey, differences?: Differences): Promise<[number, string]> => {
      const { status, body } = await suite.post('/oauth2/token', {
        grant_type: 'client_credentials',
        scope: 'system/*.rs',
        ...asserting(assertion(client_id, key, differences)),
      });
      return [status, String(body.error_description ?? body.token_type)];
    };
    return { set: full, url: urlOf(path), ask };
  }
  const [first, second, third] = [signingKey('ES384'), signingKey('RS384'), signingKey('ES384')];

  it('are fetched once and cached', async () => {
    const { set, ask, url } = await publisher({ keys: [first, second] });
    expect(await Promise.all([ask(first), ask(second), ask(first, { header: { jku: url } })])).toEqual(
      Array(3).fill([200, 'Bearer']),
    );
    expect((await ask(first))[0]).toBe(200);
    expect(set.calls).toBe(1);
  });

  it('are fetched again for an unknown kid, at every rotation', async () => {
    const { set, ask } = await publisher({ keys: [first] });
    for (const [i, key] of [first, second, third].entries()) {
      set.keys = [key];
      expect((await ask(key))[0]).toBe(200);
      expect(set.calls).toBe(i + 1);
    }
    expect((await ask(first))[0]).toBe(401);
  });

  it('are fetched once per cooldown for kids that do not exist', async () => {
    const { set, ask } = await publisher({ keys: [first] });
    expect((await ask(first))[0]).toBe(200);
    for (let i = 0; i < 5; i++) expect((await ask(signingKey('ES384')))[0]).toBe(401);
    expect(set.calls).toBe(2);
    expect((await ask(first))[0]).toBe(200);
  });

  it('are cached as long as Cache-Control allows', async () => {
    const { set, ask } = await publisher({ keys: [first], headers: { 'Cache-Control': 'no-store' } });
    expect([await ask(first), await ask(first)].map(([status]) => status)).toEqual([200, 200]);
    expect(set.calls).toBe(2);
    set.headers = { 'Cache-Control': 'public, max-age=600' };
    for (let i = 0; i < 3; i++) expect((await ask(first))[0]).toBe(200);
    expect(set.calls).toBe(3);
  });

  it.each<[string, Partial<Published>]>([
    ['are missing', { status: 404 }],
    ['cannot be given now', { status: 503 }],
    ['are elsewhere', { status: 302, headers: { Location: '/0.json' } }],
    ['are no JSON', { body: 'keys' }],
    ['are no key set', { body: '[]' }],
    ['are huge', { body: JSON.stringify({ keys: [], padding: 'x'.repeat(300_000) }) }],
  ])('refuse the assertion when they %s', async (_case, set) => {
    const { ask } = await publisher(set);
    expect(await ask(first)).toEqual([
      401,
      'client_assertion: the keys of the client cannot be fetched from its JWKS URL',
    ]);
  });

  it('are not fetched over http or from a private address, except in the sandbox', async () => {
    const { set, ask } = await publisher({ keys: [first] }, strict);
    expect(await ask(first)).toEqual([
      401,
      'client_assertion: the keys of the client cannot be fetched from its JWKS URL',
    ]);
    const { client_id } = await strict.client('Inside', { jwks_url: urlOf('/inside.json').replace('http:', 'https:') });
    const answer = await strict.post('/oauth2/token', {
      grant_type: 'client_credentials',
      scope: 'system/*.rs',
      ...asserting(assertion(client_id, first)),
    });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect(set.calls).toBe(0);
  });
});
