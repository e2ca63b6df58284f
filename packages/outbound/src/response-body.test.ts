import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { type LocalServer, serve } from '../test/local-server';
import { GuardedHttp, type OutboundRequest } from './guarded-http';

const http = new GuardedHttp({ allowPrivateAddresses: true });
let server: LocalServer;
let answer: (response: ServerResponse) => void;
/** The responses that have ended on the server, completely or not. */
let closed: Promise<unknown>;

beforeAll(async () => {
  server = await serve((_request, response) => {
    closed = once(response, 'close');
    response.on('error', () => undefined);
    answer(response);
  });
});
afterAll(() => server.close());

const mebibyte = 1024 * 1024;
const get = (more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url: server.origin,
  totalMs: 60_000,
  maxBytes: 64 * mebibyte,
  ...more,
});
const send = (body: Buffer | string, encoding?: string): void => {
  answer = (response) => response.writeHead(200, encoding ? { 'Content-Encoding': encoding } : {}).end(body);
};

/** The best quality, which is the default, takes seconds. */
const brotli = (body: Buffer | string): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

/** Lines as those of a Bundle, which shrink to a twentieth. */
const bundle = Array.from(
  { length: 20_000 },
  (_line, index) => `{"resourceType":"Observation","id":"${(index * 7919) % 100_003}","status":"final"}`,
).join('\n');

describe('the body of a response', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotli],
    ['identity', (text: string) => text],
    ['none', (text: string) => text],
    ['UTF-8', (text: string) => text],
    [undefined, (text: string) => text],
  ])('is decoded from %s', async (encoding, encode) => {
    send(encode(bundle), encoding);
    const { text } = await http.request(get());
    expect(text === bundle).toBe(true);
  });

  it('may be empty although an encoding is named', async () => {
    answer = (response) => response.writeHead(304, { 'Content-Encoding': 'gzip' }).end();
    expect(await http.request(get())).toMatchObject({ status: 304, text: '' });
    answer = (response) => response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': 0 }).end();
    expect(await http.request(get())).toMatchObject({ status: 200, text: '' });
  });

  it('fails when it is incomplete, not what its encoding says, or of an unknown encoding', async () => {
    send(gzipSync(bundle).subarray(0, 5000), 'gzip');
    await expect(http.request(get())).rejects.toMatchObject({ kind: 'connection', reason: 'Z_BUF_ERROR' });
    send(bundle, 'gzip');
    await expect(http.request(get())).rejects.toMatchObject({ kind: 'connection', reason: 'Z_DATA_ERROR' });
    send(bundle, 'compress');
    await expect(http.request(get())).rejects.toThrow('unknown content encoding');
    await closed;
    answer = (response) => {
      response.writeHead(200, { 'Content-Length': 100_000 }).write(bundle.slice(0, 5000), () => response.destroy());
    };
    await expect(http.request(get())).rejects.toMatchObject({ kind: 'connection', reason: 'ECONNRESET' });
  });

  it('of an unknown encoding is no failure for a caller that needs the status alone', async () => {
    send(bundle, 'compress');
    const { status, body } = await http.stream(get());
    expect(status).toBe(200);
    body.destroy();
    await closed;
  });

  it('ends at the size that the caller accepts, also when it is compressed', async () => {
    const maxBytes = mebibyte;
    for (const encoding of [undefined, 'gzip']) {
      send(encoding ? gzipSync(bundle) : bundle, encoding);
      await expect(http.request(get({ maxBytes }))).rejects.toMatchObject({ kind: 'too_large' });
      await closed;
    }
  });

  it('ends at the size that the caller accepts when nothing comes out of the compressed bytes', async () => {
    const empty = gzipSync('');
    send(Buffer.concat(Array.from({ length: 100_000 }, () => empty)), 'gzip');
    await expect(http.request(get({ maxBytes: mebibyte }))).rejects.toMatchObject({ kind: 'too_large' });
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotli],
  ])('is refused when it is a decompression bomb of %s', async (encoding, encode) => {
    const encoded = encode(Buffer.alloc(48 * mebibyte));
    send(encoded, encoding);
    const { body } = await http.stream(get());
    let size = 0;
    const read = async (): Promise<void> => {
      for await (const part of body as AsyncIterable<Buffer>) size += part.length;
    };
    await expect(read()).rejects.toMatchObject({ kind: 'expansion', reason: 'the response expands too much' });
    expect(size).toBeLessThanOrEqual(Math.max(mebibyte, 200 * encoded.length));
    await closed;
  });

  it('may expand as much as the caller allows', async () => {
    send(gzipSync(Buffer.alloc(8 * mebibyte)), 'gzip');
    expect((await http.request(get({ maxExpansion: Infinity }))).text).toHaveLength(8 * mebibyte);
    await expect(http.request(get({ maxExpansion: Infinity, maxBytes: mebibyte }))).rejects.toMatchObject({
      kind: 'too_large',
    });
  });

  it('may expand a lot when it is small', async () => {
    send(gzipSync(Buffer.alloc(mebibyte)), 'gzip');
    expect((await http.request(get())).text).toHaveLength(mebibyte);
  });
});

describe('a response that stalls', () => {
  const timeout = { kind: 'timeout', reason: 'ETIMEDOUT' };

  it('ends when nothing arrives: no connection, no head, no rest of the body', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(http.request(get({ url, idleMs: 100 }))).rejects.toMatchObject(timeout);
    silent.close();
    answer = () => undefined;
    await expect(http.request(get({ idleMs: 100 }))).rejects.toMatchObject(timeout);
    await closed;
    answer = (response) => response.writeHead(200).write('a');
    await expect(http.request(get({ idleMs: 100 }))).rejects.toMatchObject(timeout);
    await closed;
  });

  it('ends although it trickles', async () => {
    answer = (response) => {
      const timer = setInterval(() => response.write('a'), 10);
      response.once('close', () => clearInterval(timer));
    };
    await expect(http.request(get({ idleMs: 50_000, totalMs: 400 }))).rejects.toMatchObject(timeout);
    await closed;
  });

  it('has not stalled while its reader is slow', async () => {
    send(Buffer.alloc(mebibyte));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      const { body } = await http.stream(get({ idleMs: 60_000, totalMs: 3_600_000 }));
      if (body.readableLength === 0) await once(body, 'readable');
      jest.advanceTimersByTime(600_000);
      expect([body.destroyed, body.readableLength > 0]).toEqual([false, true]);
      body.destroy();
      await closed;
    } finally {
      jest.useRealTimers();
    }
  });

  it('ends when the caller cancels it, before and after its head', async () => {
    const cancelled = { kind: 'cancelled' };
    await expect(http.request(get({ signal: AbortSignal.abort() }))).rejects.toMatchObject(cancelled);
    const before = new AbortController();
    answer = () => before.abort();
    await expect(http.request(get({ signal: before.signal }))).rejects.toMatchObject(cancelled);
    await closed;
    const after = new AbortController();
    answer = (response) => response.writeHead(200).write('a');
    const { body } = await http.stream(get({ signal: after.signal }));
    after.abort();
    await expect(text(body)).rejects.toMatchObject(cancelled);
    await closed;
  });

  it('that nobody reads ends no process when it fails', async () => {
    answer = (response) => response.writeHead(200).write('a', () => response.destroy());
    const { body } = await http.stream(get());
    if (!body.closed) await new Promise((resolve) => body.once('close', resolve));
    await expect(body[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'connection' });
  });
});
