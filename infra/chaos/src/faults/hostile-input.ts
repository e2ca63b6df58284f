import { once } from 'node:events';
import { connect } from 'node:net';
import { tally } from '@tributary/test-environment';
import { bearer } from '../load/http';
import type { ChaosSuite } from '../suite/chaos-suite';
import type { Fault } from './fault';
import { pause } from '../pause';

const patience = 15_000;

interface HostileRequest {
  what: string;
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

function get(what: string, path: string, headers: Record<string, string> = {}): HostileRequest {
  return { what, method: 'GET', path, headers };
}

function post(what: string, path: string, body: string): HostileRequest {
  return { what, method: 'POST', path, headers: { 'Content-Type': 'application/fhir+json' }, body };
}

/**
 * Requests that the suite must reject with a 4xx or process, without effect on others. They have the token of a
 * separate user.
 */
const requests: readonly HostileRequest[] = [
  post('deeply nested JSON', '/r4/Basic', `{"resourceType":"Basic","extension":${deep('[', ']', 100_000)}}`),
  post('deeply nested objects', '/r4/Basic', `${'{"contained":'.repeat(50_000)}1${'}'.repeat(50_000)}`),
  post('a body over the limit', '/r4/Basic', 'x'.repeat(22_000_000)),
  post(
    'a number with a million digits',
    '/r4/Observation',
    `{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":${'9'.repeat(1_000_000)}}}`,
  ),
  post(
    'a prototype',
    '/r4/Basic',
    '{"resourceType":"Basic","code":{"text":"x"},"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
  ),
  post('broken UTF-8', '/r4/Basic', '{"resourceType":"Basic","code":{"text":"\ud800"}}'),
  post(
    'a Bundle of ten thousand',
    '/r4',
    `{"resourceType":"Bundle","type":"transaction","entry":[${Array(10_000).fill('{"request":{"method":"GET","url":"Patient?_include=*"}}').join(',')}]}`,
  ),
  get('a long chain', `/r4/Observation?${'subject:Patient.'.repeat(300)}name=x`),
  get(
    'a thousand parameters',
    `/r4/Observation?${Array.from({ length: 1000 }, (_, index) => `code=${index}`).join('&')}`,
  ),
  get('an unending _filter', `/r4/Patient?_filter=${'('.repeat(5000)}`),
  get('a path out of the tree', '/r4/../../../etc/passwd'),
  get('a null character', '/r4/Patient?name=%00'),
  get('SQL', `/r4/Patient?name=${encodeURIComponent("'; drop table resource; --")}`),
  get('a forged page link', `/r4/Patient?_page=${'A'.repeat(2000)}`),
  get('a token of strange characters', '/r4/Patient', { Authorization: `Bearer ${'%00'.repeat(1000)}` }),
];

const rawBytes: readonly string[] = [
  'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /r4/Basic HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nshort',
  `GET /${'a'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET / HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(20_000)}\r\n`,
  '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03',
  'GET / HTTP/1.1\r\nHost: x\r\nX-Half: ',
];

/** Sends the requests repeatedly to {base_url}, {auth_url} and {analytics_url}. */
export const hostileInput: Fault = {
  name: 'hostile-input',
  async inject({ suite, accessToken, seconds, signal, note }) {
    const end = performance.now() + seconds * 1000;
    const refused: string[] = [];
    do {
      for (const request of requests) {
        if (signal.aborted) return;
        const status = await send(suite, accessToken, request, signal);
        if (status !== undefined && status >= 500) refused.push(`${request.what}: ${status}`);
      }
      for (const bytes of rawBytes) for (const origin of originsOf(suite)) await sendBytes(origin, bytes, signal);
      await pause(200, signal);
    } while (performance.now() < end && !signal.aborted);
    for (const [what, count] of tally(refused))
      note(`hostile input was answered with a server error: ${what} × ${count}`);
  },
};

function originsOf({ running: { ready } }: ChaosSuite): string[] {
  return [ready.base_url, ready.auth_url, ready.search_url, ready.analytics_url];
}

async function send(
  { running: { ready } }: ChaosSuite,
  accessToken: string,
  { method, path, headers = {}, body }: HostileRequest,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const answer = await fetch(`${ready.base_url}${path}`, {
      method,
      headers: { ...bearer(accessToken), ...headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
      ...(body === undefined ? {} : { body }),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return undefined; // A closed connection is an acceptable response to malformed input.
  }
}

/** Sends bytes, and destroys the connection half a second later. */
async function sendBytes(origin: string, bytes: string, signal: AbortSignal): Promise<void> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.end(Buffer.from(bytes, 'latin1'));
  await Promise.race([once(socket, 'close').catch(() => undefined), pause(500, signal)]);
  socket.destroy();
}
