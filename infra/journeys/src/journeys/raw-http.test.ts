import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { bearer } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type User, newClient, newUser } from '../suite/users';

const ready = readySuite();
const users = `${ready.base_url}/user-management/v1/user`;
const connections = `${ready.base_url}/connect/v1/connections`;
const search = `${ready.search_url}/api/search`;
const exporting = `${ready.analytics_url}/bulk-data/r4/$export`;
const r4 = `${ready.base_url}/r4`;

let user: User;
beforeAll(async () => {
  user = await newUser(ready, await newClient(ready, 'raw HTTP journey'));
});

describe('HTTP that no library sends', () => {
  const origins = [ready.base_url, ready.auth_url, ready.search_url, ready.analytics_url];

  it.each(origins)('takes the absolute form of an address at %s', async (origin) => {
    const { status, head, body } = await overSocket(
      origin,
      `GET http://x/openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect([status, body]).toEqual([200, expect.stringContaining('"openapi":"3.1.')]);
    expect(head).toMatch(/^x-request-id: \S+$/im);
  });

  it.each([
    [users, 'application/json', () => ({ client_id: user.client_id, client_secret: user.client_secret })],
    [`${r4}/Patient`, 'application/fhir+json', () => bearer(user.access_token)],
    [`${ready.auth_url}/oauth2/token`, 'application/json', () => ({})],
    [search, 'application/json', () => bearer(user.access_token)],
    [exporting, 'application/json', () => bearer(user.access_token)],
  ])('refuses a body that is declared too large for %s before it arrives', async (url, type, credentials) => {
    const { host, pathname } = new URL(url);
    const headers = { Host: host, 'Content-Type': type, 'Content-Length': 50_000_000, ...credentials() };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const { status, head } = await overSocket(url, `POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n{`);
    expect(status).toBe(413);
    expect(head).toMatch(/^x-request-id: \S+$/im);
  });

  // The HTTP server refuses these before a service sees them, so they have no request id. HAProxy responds 400 to
  // headers that are too large, Node 431.
  it.each([
    ['a request without Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['headers of 70 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(70_000)}\r\n\r\n`],
    ['an address of 100 kB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('is refused: %s', async (_name, request) => {
    for (const origin of origins) {
      const { status, head } = await overSocket(origin, request);
      // Over TLS, the reset of the connection, which was not read to its end, can overtake the response.
      const isReset = origin.startsWith('https:') && head === '';
      expect(isReset || status === 400 || status === 431).toBe(true);
    }
  });

  it.each([
    ['GET', `${r4}/Patient`],
    ['GET', connections],
    ['POST', search],
    ['GET', exporting],
    ['POST', `${ready.base_url}/mcp`],
  ])('is refused: %s %s with two Authorization headers', async (method, url) => {
    const { host, pathname } = new URL(url);
    const both = ['one', 'other'].map((token) => `Authorization: Bearer ${token}`).join('\r\n');
    const { status, head, body } = await overSocket(
      url,
      `${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${both}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    expect([status, body]).toEqual([400, expect.stringContaining('Authorization is given twice')]);
    expect(head).toMatch(/^x-request-id: \S+$/im);
  });
});

/** Sends bytes to the server of a URL, and reads its response: the head, and the body as far as it arrives with it. */
async function overSocket(url: string, request: string): Promise<{ status: number; head: string; body: string }> {
  const { protocol, hostname, port } = new URL(url);
  const socket = protocol === 'https:' ? connectTls(Number(port), hostname) : connect(Number(port), hostname);
  let received = '';
  try {
    socket.on('error', () => undefined);
    socket.write(request);
    for await (const chunk of socket) {
      received += String(chunk);
      const [head = '', body] = received.split('\r\n\r\n', 2);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (body !== undefined && (length === 0 || Buffer.byteLength(body) >= length)) break;
    }
  } finally {
    socket.destroy();
  }
  const [head = '', body = ''] = received.split('\r\n\r\n', 2);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body };
}
