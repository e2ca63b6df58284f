import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { AuthClient } from '../auth/client';
import { InternalCallError, InternalHttp } from './internal-http';

describe('InternalHttp', () => {
  let server: Server;
  let answers: ((request: IncomingMessage, response: ServerResponse) => void)[];
  let seen: IncomingMessage[];
  let http: InternalHttp;
  beforeEach(async () => {
    answers = [];
    seen = [];
    server = createServer((request, response) => {
      seen.push(request);
      request.resume();
      (answers.shift() ?? ((_request, last) => last.writeHead(500).end()))(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    http = new InternalHttp({
      service: 'auth',
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      caller: 'search',
      key: 'a key between services',
    });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const json = (status: number, body: object) => (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  const call = (): Promise<{ ok: boolean }> =>
    http.call({
      method: 'POST',
      path: '/internal/v1/x',
      body: { a: 1 },
      response: z.object({ ok: z.boolean() }),
      requestId: 'request-7',
    });

  it('sends its credentials and the request id', async () => {
    answers = [json(200, { ok: true })];
    await expect(call()).resolves.toEqual({ ok: true });
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('search:a key between services').toString('base64')}`,
      'x-request-id': 'request-7',
      'content-type': 'application/json',
    });
  });

  it('repeats a call that the service could not carry out', async () => {
    answers = [json(503, {}), (request) => request.socket.destroy(), json(200, { ok: true })];
    await expect(call()).resolves.toEqual({ ok: true });
    expect(seen).toHaveLength(3);
    answers = [json(503, {}), json(503, {}), json(503, {}), json(200, { ok: true })];
    await expect(call()).rejects.toMatchObject({ status: 503, service: 'auth' });
  });

  it('does not repeat a refused call, and returns the reason', async () => {
    answers = [json(409, { success: false, error: 'it is taken', error_code: 'taken' }), json(200, { ok: true })];
    await expect(call()).rejects.toMatchObject({ name: 'InternalCallError', status: 409, errorCode: 'taken' });
    expect(seen).toHaveLength(1);
  });

  it('refuses a response of another shape without quoting it in the error', async () => {
    answers = [json(200, { ok: 'a secret' })];
    const failure = await call().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InternalCallError);
    expect((failure as Error).message).toContain('ok');
    expect((failure as Error).message).not.toContain('secret');
  });

  it('repeats a call that is not idempotent only where it was not connected, and keeps the reason', async () => {
    const callOnce = (client: InternalHttp): Promise<unknown> =>
      client.call({ method: 'POST', path: '/x', response: z.unknown(), isIdempotent: false });
    for (const answer of [json(503, {}), (request: IncomingMessage) => request.socket.destroy()]) {
      answers = [answer, json(200, {})];
      seen = [];
      await expect(callOnce(http)).rejects.toThrow(InternalCallError);
      expect(seen).toHaveLength(1);
    }
    answers = [json(400, { success: false, error: 'name: is missing', error_code: 'invalid_request' })];
    await expect(callOnce(http)).rejects.toMatchObject({ status: 400, reason: 'name: is missing' });
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const unreachable = new InternalHttp({
      service: 'auth',
      baseUrl: `http://127.0.0.1:${port}`,
      caller: 'x',
      key: 'k',
    });
    const started = performance.now();
    await expect(callOnce(unreachable)).rejects.toMatchObject({ errorCode: 'not_connected' });
    // Two pauses between three attempts.
    expect(performance.now() - started).toBeGreaterThan(250);
  });

  it('takes other statuses as answers, where the call says so', async () => {
    answers = [json(503, { ok: false })];
    const response = z.object({ ok: z.boolean() });
    expect(await http.call({ method: 'GET', path: '/readyz', response, answers: [503] })).toEqual({ ok: false });
  });

  describe('of lines', () => {
    const lines = (): AsyncGenerator<{ n: number }> =>
      http.lines({ method: 'POST', path: '/internal/v1/x', body: {}, response: z.object({ n: z.number() }) });

    it('returns each line when it arrives', async () => {
      let more: (() => void) | undefined;
      answers = [
        (_request, response) => {
          response.writeHead(200).write('{"n":1}\n{"n"');
          more = () => void response.end(':2}\n');
        },
      ];
      const found = lines();
      expect((await found.next()).value).toEqual({ n: 1 });
      more?.();
      expect((await found.next()).value).toEqual({ n: 2 });
      expect((await found.next()).done).toBe(true);
    });

    it('fails as other calls do, also when the answer ends early', async () => {
      let end: (() => void) | undefined;
      answers = [
        json(400, { success: false, error: 'there is none', error_code: 'invalid_request' }),
        (_request, response) => {
          response.writeHead(200).write('{"n":1}\n');
          end = () => void response.destroy();
        },
        json(200, { m: 1 }),
      ];
      await expect(lines().next()).rejects.toMatchObject({
        status: 400,
        errorCode: 'invalid_request',
        reason: 'there is none',
      });
      const found = lines();
      await found.next();
      end?.();
      await expect(found.next()).rejects.toMatchObject({ name: 'InternalCallError', errorCode: 'call_failed' });
      await expect(lines().next()).rejects.toMatchObject({ errorCode: 'unexpected_response' });
    });

    it.each([
      ['its reader stops', '{"n":1}\n', (found: AsyncGenerator) => found.return(undefined)],
      ['a line has another shape', '{"m":1}\n', () => undefined],
      ['a line is no JSON', '{\n', () => undefined],
    ])('ends the response when %s', async (_what, line, stop) => {
      const closed = new Promise<void>((resolve) => {
        answers = [(_request, response) => void response.on('close', resolve).writeHead(200).write(line)];
      });
      const found = lines();
      await found.next().catch(() => undefined);
      await stop(found);
      await closed;
    });
  });

  describe('of an upload', () => {
    const upload = (content: AsyncIterable<Buffer>, timeoutMs = 30_000): Promise<{ ok: boolean }> =>
      http.upload({ method: 'POST', path: '/x', response: z.object({ ok: z.boolean() }), timeoutMs }, content);
    const piece = Buffer.alloc(50_000, 'x');

    it('sends the content while it arrives, and at most once', async () => {
      let received = 0;
      answers = [
        (request, response) => {
          request.on('data', (part: Buffer) => (received += part.length));
          request.on('end', () => json(200, { ok: true })(request, response));
        },
        (request) => request.socket.destroy(),
      ];
      async function* content(): AsyncGenerator<Buffer> {
        yield piece;
        while (received < piece.length) await new Promise(setImmediate);
        yield piece;
      }
      await expect(upload(content())).resolves.toEqual({ ok: true });
      expect([received, seen[0]?.headers['transfer-encoding']]).toEqual([100_000, 'chunked']);
      await expect(upload(content())).rejects.toMatchObject({ name: 'InternalCallError', status: 0 });
      expect(seen).toHaveLength(2);
    });

    it('fails with the error of the content, and the service gets no end', async () => {
      let begun: () => void = () => undefined;
      const hasBegun = new Promise<void>((resolve) => (begun = resolve));
      const cutShort = new Promise((resolve) => {
        answers = [(request) => request.once('data', begun).on('error', resolve)];
      });
      const failure = new Error('the source has failed');
      async function* content(): AsyncGenerator<Buffer> {
        yield piece;
        await hasBegun;
        throw failure;
      }
      await expect(upload(content())).rejects.toBe(failure);
      expect(await cutShort).toMatchObject({ code: 'ECONNRESET' });
    });

    it('ends the content when the service refuses it, is gone, or takes nothing', async () => {
      let hasEnded = false;
      async function* content(): AsyncGenerator<Buffer> {
        try {
          for (;;) yield await Promise.resolve(piece);
        } finally {
          hasEnded = true;
        }
      }
      answers = [json(413, { success: false, error: 'it is too large', error_code: 'too_large' })];
      await expect(upload(content())).rejects.toMatchObject({ status: 413, reason: 'it is too large' });
      expect(hasEnded).toBe(true);
      hasEnded = false;
      answers = [(request) => request.pause()];
      await expect(upload(content(), 200)).rejects.toMatchObject({ name: 'InternalCallError', status: 0 });
      expect(hasEnded).toBe(true);
    });
  });

  it('applies one time limit to all attempts', async () => {
    const hung = http.call({
      method: 'GET',
      path: '/internal/v1/x',
      response: z.unknown(),
      timeoutMs: 300,
    });
    answers = [() => undefined, json(200, { ok: true })];
    await expect(hung).rejects.toMatchObject({ status: 0 });
    expect(seen.length).toBeLessThanOrEqual(1);
  });

  it('distinguishes wrong client credentials from wrong service credentials', async () => {
    const auth = new AuthClient(http);
    answers = [
      json(401, { success: false, error: 'client_id or client_secret is wrong', error_code: 'invalid_client' }),
      json(401, { success: false, error: 'the service credentials are wrong', error_code: 'unknown_service' }),
    ];
    await expect(auth.authenticateClient({ client_id: 'a', client_secret: 'b' })).resolves.toBeUndefined();
    await expect(auth.authenticateClient({ client_id: 'a', client_secret: 'b' })).rejects.toMatchObject({
      status: 401,
      errorCode: 'unknown_service',
    });
  });
});
