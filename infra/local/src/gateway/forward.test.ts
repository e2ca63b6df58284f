import { once } from 'node:events';
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  createServer,
  request as httpRequest,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { forward } from './forward';
import { Upstream } from './upstream';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An origin without a listener. */
async function refusing(): Promise<string> {
  const origin = await serve(() => undefined);
  const server = servers.pop();
  server?.close();
  if (server) await once(server, 'close');
  return origin;
}

/** A replica that counts requests and closes the connection without a response. */
async function breaking(): Promise<{ origin: string; seen: string[] }> {
  const seen: string[] = [];
  const origin = await serve((request) => {
    seen.push(request.method ?? '');
    request.on('data', () => undefined).on('end', () => request.socket.destroy());
  });
  return { origin, seen };
}

async function answering(): Promise<{ origin: string; bodies: string[] }> {
  const bodies: string[] = [];
  const origin = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      bodies.push(body);
      response.writeHead(201, { 'Set-Cookie': ['a=1', 'b=2'], 'X-Path': request.url }).end('made');
    });
  });
  return { origin, bodies };
}

function gateway(...origins: string[]): Promise<string> {
  const upstream = new Upstream(origins, 'fhir');
  return serve((request, response) => forward(request, response, upstream, request.url ?? '/'));
}

const post = (url: string): Promise<Response> => fetch(url, { method: 'POST', body: 'a resource' });

describe('forward', () => {
  it('forwards the request and the whole response', async () => {
    const { origin, bodies } = await answering();
    const answer = await post(`${await gateway(origin)}/r4/Basic?x=%20y`);
    expect([answer.status, answer.headers.getSetCookie(), answer.headers.get('x-path'), await answer.text()]).toEqual([
      201,
      ['a=1', 'b=2'],
      '/r4/Basic?x=%20y',
      'made',
    ]);
    expect(bodies).toEqual(['a resource']);
  });

  it('reads the rest of a body that the replica has refused', async () => {
    const refused = await serve((request, response) => {
      response.writeHead(request.method === 'POST' ? 413 : 200).end('read');
    });
    const url = await gateway(refused);
    // The response and the body overtake each other.
    for (let time = 0; time < 20; time++) {
      const response = await fetch(url, { method: 'POST', body: 'x'.repeat(5_500_000) });
      expect([response.status, await response.text()]).toEqual([413, 'read']);
      const next = await fetch(url);
      expect([next.status, await next.text()]).toEqual([200, 'read']);
    }
  });

  describe.each(['Content-Length', 'chunks'])('a body with %s that a replica refuses before it closes', (framing) => {
    it.each(['fast', 'slow'])('gets the response of the replica when the client is %s', async (pace) => {
      const [piece, count] = [Buffer.alloc(262_144), 84];
      async function* pieces(): AsyncGenerator<Buffer> {
        for (let sent = 0; sent < count; sent++) {
          if (pace === 'slow') await setImmediate();
          yield piece;
        }
      }
      const refusing = await serve((_request, response) => {
        response.writeHead(413, { Connection: 'close' }).end('refused');
      });
      const url = await gateway(refusing);
      for (let time = 0; time < 10; time++) {
        const headers = framing === 'chunks' ? {} : { 'Content-Length': count * piece.length };
        const sent = httpRequest(url, { method: 'POST', headers });
        const body = Readable.from(pieces());
        body.pipe(sent);
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        expect([response.statusCode, await text(response)]).toEqual([413, 'refused']);
        body.destroy();
        sent.destroy();
      }
    });
  });

  it('sends the body to another replica when one refuses the connection', async () => {
    const { origin, bodies } = await answering();
    const url = await gateway(await refusing(), origin);
    for (let time = 0; time < 4; time++) expect((await post(url)).status).toBe(201);
    expect(bodies).toEqual(Array(4).fill('a resource'));
  });

  it('responds 503 with Retry-After when no replica accepts a connection', async () => {
    const answer = await post(`${await gateway(await refusing(), await refusing())}/r4/Basic`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await answer.json()).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'transient' }] });
  });

  it('never repeats a request that is not safe, and reports that its outcome is unknown', async () => {
    const broken = await breaking();
    const { origin, bodies } = await answering();
    const answer = await post(`${await gateway(broken.origin, origin)}/r4/Basic`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([502, null]);
    expect(await answer.json()).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [{ diagnostics: expect.stringContaining('outcome is unknown') }],
    });
    expect([broken.seen, bodies]).toEqual([['POST'], []]);
  });

  it('reports failures as JSON outside FHIR', async () => {
    const { origin } = await breaking();
    const upstream = new Upstream([origin], 'json');
    const url = await serve((request, response) => forward(request, response, upstream, '/oauth2/token'));
    const answer = await post(url);
    expect([answer.status, await answer.json()]).toEqual([
      502,
      expect.objectContaining({ success: false, error_code: 'outcome_unknown' }),
    ]);
  });

  it('repeats a read at another replica', async () => {
    const broken = await breaking();
    const { origin } = await answering();
    const url = await gateway(broken.origin, origin);
    expect((await fetch(url)).status).toBe(201);
    expect(broken.seen).toEqual(['GET']);
  });

  it('survives a client that disconnects', async () => {
    const { origin } = await answering();
    const silent = await serve(() => undefined);
    const url = await gateway(silent, origin);
    await expect(fetch(url, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
    expect((await post(url)).status).toBe(201);
  });
});

describe('Upstream', () => {
  const ports = (upstream: Upstream, now: number): number[] => upstream.candidates(now).map(({ port }) => port);

  it('uses its replicas round robin', () => {
    const upstream = new Upstream(['http://h:1', 'http://h:2'], 'fhir');
    expect([ports(upstream, 0), ports(upstream, 0), ports(upstream, 0)]).toEqual([
      [1, 2],
      [2, 1],
      [1, 2],
    ]);
  });

  it('avoids a replica that refused, for a time or until it responds', () => {
    const upstream = new Upstream(['http://h:1', 'http://h:2'], 'fhir');
    const [first] = upstream.candidates(0);
    first?.sent(0)('refused', 10);
    expect([ports(upstream, 20), ports(upstream, 20)]).toEqual([
      [2, 1],
      [2, 1],
    ]);
    expect(ports(upstream, 1500)[0]).toBe(2);
    expect(ports(upstream, 1500)[0]).toBe(1);
    first?.sent(1500)('refused', 1500);
    first?.sent(1510)('responded', 1520);
    expect([ports(upstream, 1530)[0], ports(upstream, 1530)[0]].sort()).toEqual([1, 2]);
  });

  it('avoids a replica with pending requests and no responses', () => {
    const upstream = new Upstream(['http://h:1', 'http://h:2'], 'fhir');
    const [first] = upstream.candidates(0);
    const settle = first?.sent(0);
    const other = first?.sent(100);
    expect(first?.isAvoided(2_900)).toBe(false);
    expect(first?.isAvoided(3_100)).toBe(true);
    other?.('responded', 3_200);
    expect(first?.isAvoided(6_000)).toBe(false);
    expect(first?.isAvoided(6_300)).toBe(true);
    settle?.('abandoned', 6_400);
    expect(first?.isAvoided(6_500)).toBe(false);
  });
});

it('sets X-Forwarded-For to the address of the client, whatever the client has sent', async () => {
  const seen: unknown[] = [];
  const origin = await serve((request, response) => {
    seen.push(request.headers['x-forwarded-for']);
    response.end();
  });
  const url = await gateway(origin);
  await fetch(url);
  await fetch(url, { headers: { 'X-Forwarded-For': '203.0.113.1' } });
  expect(seen).toEqual(['127.0.0.1', '127.0.0.1']);
});
