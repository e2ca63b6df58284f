import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type ListeningServer, listen } from './http-server';

const stalledResponseMs = 1000;
/** More than the buffers of both ends of a connection hold. */
const large = Buffer.alloc(64 * 1024 * 1024, 'x');

describe('a response', () => {
  let server: ListeningServer;
  const responses = new Map<string, ServerResponse>();
  beforeAll(async () => {
    server = await listen({
      app: (request, response) => {
        const path = request.url ?? '';
        responses.set(path, response);
        if (path.startsWith('/late')) setTimeout(() => response.end('late'), 3 * stalledResponseMs);
        else response.end(path.startsWith('/large') ? large : 'ok');
      },
      port: 0,
      host: '127.0.0.1',
      variable: 'PORT',
      isStopping: () => false,
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

  async function responseTo(path: string): Promise<ServerResponse> {
    for (;;) {
      const response = responses.get(path);
      if (response) return response;
      await pause(10);
    }
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
