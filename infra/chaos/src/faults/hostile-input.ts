import { once } from 'node:events';
import { connect } from 'node:net';
import { bearer } from '../load/http';
import type { ChaosSuite } from '../suite/chaos-suite';
import type { Fault } from './fault';
import { pause } from '../pause';

const patience = 15_000;

interface HostileRequest {
  what: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);
const fhir = { 'Content-Type': 'application/fhir+json' };

/**
 * Requests that the suite must reject with a 4xx or process, without effect on others. They have the token of a
 * separate user.
 */
const requests: readonly HostileRequest[] = [
  {
    what: 'deeply nested JSON',
    method: 'POST',
    path: '/r4/Basic',
    headers: fhir,
    body: `{"resourceType":"Basic","extension":${deep('[', ']', 100_000)}}`,
  },
  {
    what: 'deeply nested objects',
    method: 'POST',
    path: '/r4/Basic',
    headers: fhir,
    body: `${'{"contained":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  },
  { what: 'a body over the limit', method: 'POST', path: '/r4/Basic', headers: fhir, body: 'x'.repeat(22_000_000) },
  {
    what: 'a number with a million digits',
    method: 'POST',
    path: '/r4/Observation',
    headers: fhir,
    body: `{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":${'9'.repeat(1_000_000)}}}`,
  },
  {
    what: 'a prototype',
    method: 'POST',
    path: '/r4/Basic',
    headers: fhir,
    body: '{"resourceType":"Basic","code":{"text":"x"},"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
  },
  {
    what: 'broken UTF-8',
    method: 'POST',
    path: '/r4/Basic',
    headers: fhir,
    body: '{"resourceType":"Basic","code":{"text":"\ud800"}}',
  },
  {
    what: 'a Bundle of ten thousand',
    method: 'POST',
    path: '/r4',
    headers: fhir,
    body: `{"resourceType":"Bundle","type":"transaction","entry":[${Array(10_000).fill('{"request":{"method":"GET","url":"Patient?_include=*"}}').join(',')}]}`,
  },
  { what: 'a long chain', method: 'GET', path: `/r4/Observation?${'subject:Patient.'.repeat(300)}name=x` },
  {
    what: 'a thousand parameters',
    method: 'GET',
    path: `/r4/Observation?${Array.from({ length: 1000 }, (_, index) => `code=${index}`).join('&')}`,
  },
  { what: 'an unending _filter', method: 'GET', path: `/r4/Patient?_filter=${'('.repeat(5000)}` },
  { what: 'a path out of the tree', method: 'GET', path: '/r4/../../../etc/passwd' },
  { what: 'a null character', method: 'GET', path: '/r4/Patient?name=%00' },
  { what: 'SQL', method: 'GET', path: `/r4/Patient?name=${encodeURIComponent("'; drop table resource; --")}` },
  { what: 'a forged page link', method: 'GET', path: `/r4/Patient?_page=${'A'.repeat(2000)}` },
  {
    what: 'a token of strange characters',
    method: 'GET',
    path: '/r4/Patient',
    headers: { Authorization: `Bearer ${'%00'.repeat(1000)}` },
  },
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
    const refused = new Map<string, number>();
    do {
      for (const request of requests) {
        if (signal.aborted) return;
        const status = await send(suite, accessToken, request, signal);
        if (status !== undefined && status >= 500)
          refused.set(`${request.what}: ${status}`, (refused.get(`${request.what}: ${status}`) ?? 0) + 1);
      }
      for (const bytes of rawBytes) for (const origin of originsOf(suite)) await sendBytes(origin, bytes, signal);
      await pause(200, signal);
    } while (performance.now() < end && !signal.aborted);
    for (const [what, count] of refused) note(`hostile input was answered with a server error: ${what} × ${count}`);
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
