import type { LookupAddress } from 'node:dns';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { testCertificate } from '@tributary/test-environment';
import { type LocalServer, serve } from '../test/local-server';
import { GuardedHttp, type OutboundRequest } from './guarded-http';

/** What the names of these tests resolve to, one entry for each lookup. */
const names = new Map<string, string[][]>();
jest.mock('node:dns', () => {
  const actual = jest.requireActual<typeof import('node:dns')>('node:dns');
  type Callback = (error: Error | null, addresses: LookupAddress[]) => void;
  return {
    ...actual,
    lookup: (name: string, options: { all: true }, callback: Callback) => {
      const known = names.get(name);
      if (!known) return actual.lookup(name, options, callback);
      const addresses = (known.length > 1 ? known.shift() : known[0]) ?? [];
      process.nextTick(() =>
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
      );
    },
  };
});

/** An address of this machine that stands for a public one, as no test can reach one. */
const publicAddress = '127.0.0.2';
const certificate = testCertificate(publicAddress);

let requests: { url: string; headers: IncomingMessage['headers']; method: string }[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const listener = (request: IncomingMessage, response: ServerResponse): void => {
  requests.push({ url: request.url ?? '', headers: request.headers, method: request.method ?? '' });
  answer(request, response);
};
/** On the public address. */
let outside: LocalServer;
let otherOutside: LocalServer;
/** On a private address. */
let inside: LocalServer;

beforeAll(async () => {
  [outside, otherOutside, inside] = await Promise.all([
    serve(listener, publicAddress, certificate),
    serve(listener, publicAddress, certificate),
    serve((_request, response) => response.end('secret')),
  ]);
});
beforeEach(() => {
  requests = [];
  answer = (_request, response) => response.end('here');
  inside.connections = 0;
});
afterAll(() => Promise.all([outside, otherOutside, inside].map((server) => server.close())));

const strict = new GuardedHttp({
  allowPrivateAddresses: false,
  isPublicAddress: (address) => address === publicAddress,
  ca: certificate.cert,
});
const get = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  totalMs: 30_000,
  maxBytes: 1000,
  ...more,
});
const redirectTo = (location: string): void => {
  answer = (request, response) =>
    request.url === '/end' ? response.end('there') : response.writeHead(302, { Location: location }).end();
};

describe('an outbound request', () => {
  it('reaches a public address by https, and returns a response of any status', async () => {
    answer = (_request, response) => response.writeHead(503, { 'Retry-After': '7' }).end('\uFEFFlater');
    expect(await strict.request(get(`${outside.origin}/a?b=c`))).toMatchObject({
      status: 503,
      headers: { 'retry-after': '7' },
      text: 'later',
    });
    expect(requests).toMatchObject([{ url: '/a?b=c', headers: { 'user-agent': 'Tributary' } }]);
  });

  it('keeps the spelling of headers, which some servers need', async () => {
    let sent: string[] = [];
    answer = (request, response) => {
      sent = request.rawHeaders;
      response.end();
    };
    await strict.request(get(outside.origin, { headers: { Authorization: 'Bearer x', 'user-agent': 'Other' } }));
    expect(sent.filter((_text, index) => index % 2 === 0)).toEqual(expect.arrayContaining(['Authorization', 'Host']));
    expect(sent.filter((text) => /^user-agent$/i.test(text))).toHaveLength(1);
    expect(sent).toContain('Other');
  });

  it('sends a body with its length', async () => {
    let sent = '';
    answer = (request, response) => {
      request.on('data', (chunk: Buffer) => (sent += chunk.toString())).on('end', () => response.end());
    };
    await strict.request(get(outside.origin, { method: 'POST', body: 'ä=1' }));
    expect([sent, requests[0]?.headers['content-length'], requests[0]?.headers['transfer-encoding']]).toEqual([
      'ä=1',
      '4',
      undefined,
    ]);
  });

  it('is not sent to a private address, by http, or with credentials in the URL', async () => {
    for (const url of [
      `http://127.0.0.1:${inside.port}/`,
      `https://127.0.0.1:${inside.port}/`,
      `https://localhost:${inside.port}/`,
      `https://[::ffff:127.0.0.1]:${inside.port}/`,
      outside.origin.replace('https:', 'http:'),
      outside.origin.replace('https://', 'https://user:password@'),
      'ftp://example.org/',
    ]) {
      const refused = { kind: 'address', message: expect.stringContaining('the address is refused') };
      await expect(strict.request(get(url))).rejects.toMatchObject(refused);
      await expect(strict.assertAllowed(url)).rejects.toMatchObject(refused);
    }
    expect([inside.connections, requests]).toEqual([0, []]);
    await expect(strict.request(get('nowhere'))).rejects.toMatchObject({ reason: 'the URL is invalid' });
  });

  it('is not sent to a name that has become private since it was checked (DNS rebinding)', async () => {
    const name = 'rebinding.test';
    names.set(name, [[publicAddress], ['127.0.0.1']]);
    const url = `https://${name}:${inside.port}/`;
    await strict.assertAllowed(url);
    await expect(strict.request(get(url))).rejects.toMatchObject({ kind: 'address' });
    expect(inside.connections).toBe(0);
  });

  it('is not sent to a name with one private address among public ones', async () => {
    names.set('mixed.test', [[publicAddress, '127.0.0.1']]);
    await expect(strict.request(get(`https://mixed.test:${inside.port}/`))).rejects.toMatchObject({ kind: 'address' });
    expect(inside.connections).toBe(0);
  });

  it('trusts only certificates for the name', async () => {
    names.set('other.test', [[publicAddress]]);
    await expect(strict.request(get(`https://other.test:${outside.port}/`))).rejects.toMatchObject({
      kind: 'connection',
      reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    const distrustful = new GuardedHttp({ allowPrivateAddresses: true });
    await expect(distrustful.request(get(outside.origin))).rejects.toMatchObject({
      reason: expect.stringMatching(/CERT/),
    });
    expect(requests).toEqual([]);
  });

  it('uses TLS 1.2 or later', async () => {
    const ciphers = 'ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0';
    const old = await serve(listener, publicAddress, {
      ...certificate,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers,
    });
    const status = await new Promise((resolve, reject) => {
      const options = { minVersion: 'TLSv1', ciphers, ca: certificate.cert } as const;
      httpsRequest(old.origin, options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    await expect(strict.request(get(old.origin))).rejects.toMatchObject({ kind: 'connection' });
    expect(requests).toHaveLength(1);
    await old.close();
  });

  it('names no URL in an error', async () => {
    const open = new GuardedHttp({ allowPrivateAddresses: true });
    const error: unknown = await open.request(get('http://127.0.0.1:1/?code=hush')).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ reason: 'ECONNREFUSED', kind: 'connection' });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('hush');
  });

  it('keeps its connection open where that is wanted', async () => {
    const count = async (http: GuardedHttp): Promise<number> => {
      const before = outside.connections;
      for (let i = 0; i < 3; i++) await http.request(get(outside.origin));
      return outside.connections - before;
    };
    const keepAlive = { maxSockets: 1, maxFreeSockets: 1 };
    expect(await count(strict)).toBe(3);
    expect(await count(new GuardedHttp({ allowPrivateAddresses: true, ca: certificate.cert, keepAlive }))).toBe(1);
  });
});

describe('a redirect', () => {
  it('is returned unless the caller follows it', async () => {
    redirectTo('/end');
    expect(await strict.request(get(outside.origin))).toMatchObject({ status: 302, headers: { location: '/end' } });
    const form = get(outside.origin, { method: 'POST', body: 'secret=x', redirects: 3 });
    expect((await strict.request(form)).status).toBe(302);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /', 'POST /']);
  });

  it('is followed a limited number of times', async () => {
    redirectTo('end');
    expect(await strict.request(get(outside.origin, { redirects: 1 }))).toMatchObject({ status: 200, text: 'there' });
    redirectTo('/again');
    requests = [];
    await expect(strict.request(get(outside.origin, { redirects: 3 }))).rejects.toThrow('too many redirects');
    expect(requests).toHaveLength(4);
  });

  it('takes credentials to no other origin', async () => {
    const headers = {
      Authorization: 'Bearer hush',
      Cookie: 'a=b',
      client_secret: 'hush',
      Accept: 'text/plain',
      'If-None-Match': '"1"',
    };
    redirectTo('/end');
    await strict.request(get(outside.origin, { redirects: 1, headers }));
    expect(requests[1]?.headers).toMatchObject({ authorization: 'Bearer hush', client_secret: 'hush' });
    redirectTo(`${otherOutside.origin}/end`);
    requests = [];
    expect((await strict.request(get(outside.origin, { redirects: 1, headers }))).text).toBe('there');
    expect(Object.keys(requests[1]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'if-none-match',
      'user-agent',
    ]);
  });

  it('leads to no private address and to no http', async () => {
    for (const target of [
      `https://127.0.0.1:${inside.port}/`,
      `https://localhost:${inside.port}/`,
      `http://127.0.0.1:${inside.port}/`,
      outside.origin.replace('https:', 'http:'),
      'file:///etc/passwd',
    ]) {
      redirectTo(target);
      await expect(strict.request(get(outside.origin, { redirects: 3 }))).rejects.toMatchObject({ kind: 'address' });
    }
    expect(inside.connections).toBe(0);
  });
});
