import { once } from 'node:events';
import { Agent, type IncomingMessage, type ServerResponse, get } from 'node:http';
import { type Socket, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { waitUntil } from '@tributary/test-environment';
import { type ListeningServer, listen } from './http-server';

const stalledResponseMs = 200;
/** More than the buffers of both ends of a connection hold. */
const large = Buffer.alloc(64 * 1024 * 1024, 'x');

const common = { port: 0, host: '127.0.0.1', variable: 'PORT', isStopping: () => false };

describe('a response', () => {
  let server: ListeningServer;
  const responses = new Map<string, ServerResponse>();
  beforeAll(async () => {
    server = await listen({
      app: (request, response) => {
        const path = request.url ?? '';
        responses.set(path, response);
        // The event comes once the limit has passed.
        if (path.startsWith('/late')) response.once('timeout', () => response.end('late'));
        else response.end(path.startsWith('/large') ? large : 'ok');
      },
      ...common,
      stalledResponseMs,
    });
  });
  afterAll(() => server.close(0));

  async function request(path: string): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: server.port });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  }

  function responseTo(path: string): Promise<ServerResponse> {
    return waitUntil(() => responses.get(path));
  }

  it('that nobody takes ends with its connection, and others are served meanwhile', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/large?${index}`);
    const sockets = await Promise.all(paths.map(request));
    const stalled = await Promise.all(paths.map(responseTo));
    const closed = stalled.map((response) => response.destroyed || once(response, 'close'));
    for (let index = 0; index < 20; index++) expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
    await Promise.all(closed);
    const received = await Promise.all(
      sockets.map(async (socket) => {
        let bytes = 0;
        const ended = once(socket, 'close');
        socket.on('data', (piece: Buffer) => (bytes += piece.length)).resume();
        await ended;
        return bytes;
      }),
    );
    expect(Math.max(...received)).toBeLessThan(large.length);
  });

  it('that is prepared for longer than the limit is sent, also as the second one on its connection', async () => {
    for (const path of ['/late?1', '/late?2'])
      expect(await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text()).toBe('late');
  });
});

it('serves others while clients send their headers slowly, and closes their connections', async () => {
  const server = await listen({ ...common, app: (_request, response) => response.end('ok'), headersTimeoutMs: 1000 });
  const responses: string[] = [];
  const began = performance.now();
  const slow = Array.from({ length: 200 }, () => {
    const socket = connect({ host: '127.0.0.1', port: server.port });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 100);
    socket.on('data', (data) => responses.push(data.toString()));
    socket.on('error', () => undefined);
    return once(socket, 'close').finally(() => clearInterval(drip));
  });
  for (let i = 0; i < 20; i++) expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
  await Promise.all(slow);
  // Long before the limit of a whole request, which is 120 seconds.
  expect(performance.now() - began).toBeLessThan(60_000);
  await server.close(0);
  expect(responses).toHaveLength(200);
  for (const response of responses) expect(response).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
});

it('closes the connection of a client that sends a body for longer than the limit', async () => {
  const limits = { headersTimeoutMs: 400, requestTimeoutMs: 400 };
  const server = await listen({ ...common, app: (request) => request.resume(), ...limits });
  const socket = connect({ host: '127.0.0.1', port: server.port });
  const responses: string[] = [];
  socket.on('data', (data) => responses.push(data.toString()));
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\na');
  await once(socket, 'close');
  expect(responses.join('')).toMatch(/^HTTP\/1\.1 408 /);
  await server.close(0);
});

it('closes without waiting for connections that clients keep after the last response', async () => {
  let arrived = (): void => undefined;
  const bothArrived = new Promise<void>((resolve) => (arrived = resolve));
  const responses: ServerResponse[] = [];
  const server = await listen({
    ...common,
    app: (request, response) => {
      // Of one response the headers are sent before the server closes, of the other after.
      if (request.url === '/begun') response.write('begun');
      responses.push(response);
      if (responses.length === 2) arrived();
    },
  });
  const agent = new Agent({ keepAlive: true });
  const answers = ['/begun', '/later'].map(async (path) => {
    const [answer] = (await once(get(`http://127.0.0.1:${server.port}${path}`, { agent }), 'response')) as [
      IncomingMessage,
    ];
    return text(answer);
  });
  await bothArrived;
  // Longer than the limit of a test.
  const closed = server.close(600_000);
  for (const response of responses) response.end('end');
  expect(await Promise.all(answers)).toEqual(['begunend', 'end']);
  await closed;
  agent.destroy();
});
