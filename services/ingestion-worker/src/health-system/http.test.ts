import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { healthSystemHttp, send } from './http';
import { ResponseExpandsTooMuch, ResponseTooLarge } from './request-failures';
import { ResponseMemoryBudget } from './response-memory-budget';

describe('a request to a health system', () => {
  let server: Server;
  let answer: (response: ServerResponse) => void;
  const http = healthSystemHttp(true);
  const budget = new ResponseMemoryBudget(256_000_000);

  beforeAll(async () => {
    server = createServer((_request, response) => {
      response.on('error', () => undefined);
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Sends a request that accepts ten million bytes. */
  async function get({
    idleTimeoutMs = 30_000,
    signal = new AbortController().signal,
    maxExpansion = undefined as number | undefined,
  } = {}) {
    const reservation = budget.reservation('localhost');
    try {
      const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      return await send(url, {
        http,
        headers: {},
        maxBytes: 10_000_000,
        maxExpansion,
        reservation,
        idleTimeoutMs,
        signal,
      });
    } finally {
      reservation.release();
    }
  }

  it('decodes the body', async () => {
    answer = (response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('a Bundle'));
    expect(await get()).toMatchObject({ status: 200, body: Buffer.from('a Bundle'), isTimedOut: false });
  });

  it('refuses a body that is too large or a decompression bomb', async () => {
    answer = (response) => response.end(Buffer.alloc(10_000_001));
    await expect(get()).rejects.toThrow(ResponseTooLarge);
    answer = (response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(9_000_000)));
    await expect(get()).rejects.toThrow(ResponseExpandsTooMuch);
    expect((await get({ maxExpansion: Infinity })).body).toHaveLength(9_000_000);
  });

  it('has no status when the connection breaks or the body stalls', async () => {
    answer = (response) => response.destroy();
    expect(await get()).toMatchObject({ status: 0, isTimedOut: false });
    answer = (response) => response.writeHead(200).write('a', () => response.destroy());
    expect(await get()).toMatchObject({ status: 0, isTimedOut: false });
    answer = (response) => response.writeHead(200).write('a');
    expect(await get({ idleTimeoutMs: 100 })).toMatchObject({ status: 0, isTimedOut: true });
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error('the collection has ended'));
    await expect(get({ signal: controller.signal })).rejects.toThrow('the collection has ended');
  });
});
