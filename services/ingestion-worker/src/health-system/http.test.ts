import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type LargeBody, healthSystemHttp, send } from './http';
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
    large = undefined as LargeBody | undefined,
  } = {}) {
    const reservation = budget.reservation('localhost');
    try {
      const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      return await send(url, {
        http,
        headers: {},
        maxBytes: 10_000_000,
        maxExpansion,
        large,
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

  it.each([
    ['more time than others', 650_000, false],
    ['no time without end', 800_000, true],
  ])('gives a large body %s', async (_what, passedMs, isTimedOut) => {
    const now = performance.now.bind(performance);
    let passed = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    let bytes = 0;
    let finish = (): unknown => undefined;
    answer = (response) => {
      response.write(Buffer.alloc(9_000_000));
      finish = () => response.end('the end');
    };
    const read: LargeBody['read'] = async (body) => {
      for await (const piece of body) {
        bytes += piece.length;
        if (bytes !== 9_000_000) continue;
        passed = passedMs;
        finish();
      }
    };
    const response = await get({ large: { maxBytes: 20_000_000, aboveBytes: () => 1000, read } });
    clock.mockRestore();
    expect(response).toMatchObject({ status: isTimedOut ? 0 : 200, isTimedOut });
    expect(bytes).toBe(isTimedOut ? 9_000_000 : 9_000_007);
  });

  it('holds no more of an error than before, where large bodies are taken', async () => {
    const read = jest.fn();
    answer = (response) => response.writeHead(500).end(Buffer.alloc(10_000_001));
    await expect(get({ large: { maxBytes: 20_000_000, aboveBytes: () => 1000, read } })).rejects.toThrow(
      ResponseTooLarge,
    );
    expect(read).not.toHaveBeenCalled();
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error('the collection has ended'));
    await expect(get({ signal: controller.signal })).rejects.toThrow('the collection has ended');
  });
});
