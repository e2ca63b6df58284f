import { type Handler, type LocalServer, localServer, sendJson } from '../../test/local-server.ts';
import { ApiError, NetworkError, TimeoutError } from './errors.ts';
import { Http, type HttpRequest } from './http.ts';

/** Keeps the pauses between attempts short. */
const impatient = { maxRetryDelayMs: 10 };

describe('requests', () => {
  let server: LocalServer;
  let answer: Handler;
  beforeEach(async () => {
    server = await localServer((request, response) => answer(request, response));
  });
  afterEach(() => {
    jest.useRealTimers();
    server.close();
  });

  const request = (method: HttpRequest['method'] = 'GET'): HttpRequest => ({
    method,
    url: `${server.url}/path?name=secret`,
  });
  /** Answers the first request with the status and headers, and later ones with 200. */
  const failOnce =
    (status: number, headers: Record<string, string> = {}): Handler =>
    (_request, response) =>
      server.requests.length === 1 ? sendJson(response, status, {}, headers) : sendJson(response, 200, { ok: true });

  it.each<[HttpRequest['method'], number, Record<string, string>]>([
    ['GET', 429, { 'Retry-After': '0' }],
    ['POST', 429, { 'Retry-After': '0' }],
    ['POST', 503, { 'Retry-After': '0' }],
    ['PATCH', 503, { 'Retry-After': '0' }],
    ['GET', 503, {}],
    ['GET', 502, {}],
    ['DELETE', 504, {}],
  ])('repeats %s after %i %j', async (method, status, headers) => {
    answer = failOnce(status, headers);
    expect(await new Http(impatient).json(request(method))).toEqual({ ok: true });
    expect(server.requests).toHaveLength(2);
  });

  it.each<[HttpRequest['method'], number, Record<string, string>]>([
    ['POST', 503, {}],
    ['POST', 502, {}],
    ['POST', 502, { 'Retry-After': '0' }],
    ['PATCH', 504, {}],
    ['GET', 500, {}],
    ['GET', 404, {}],
    ['GET', 429, { 'Retry-After': '3600' }],
  ])('does not repeat %s after %i %j', async (method, status, headers) => {
    answer = failOnce(status, headers);
    await expect(new Http({}).json(request(method))).rejects.toMatchObject({ name: 'ApiError', status });
    expect(server.requests).toHaveLength(1);
  });

  it('waits for Retry-After before the next attempt', async () => {
    const times: number[] = [];
    answer = (_request, response) => {
      times.push(performance.now());
      if (times.length === 1) sendJson(response, 503, {}, { 'Retry-After': '1' });
      else sendJson(response, 200, {});
    };
    await new Http({}).json(request('POST'));
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990);
  });

  it('repeats an idempotent request whose connection broke, and no other', async () => {
    answer = (_request, response) => {
      if (server.requests.length % 2 === 1) response.destroy();
      else sendJson(response, 200, { ok: true });
    };
    expect(await new Http(impatient).json(request('GET'))).toEqual({ ok: true });
    await expect(new Http(impatient).json(request('POST'))).rejects.toThrow(NetworkError);
    expect(server.requests).toHaveLength(3);
  });

  it('says why there is no response', async () => {
    const failing = (cause: unknown): Http =>
      new Http({ maxRetries: 0, fetch: () => Promise.reject(new TypeError('fetch failed', { cause })) });
    const tls = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const reasons = [tls, Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), new Error('bad port'), 7];
    const messages: string[] = await Promise.all(
      reasons.map((cause) =>
        failing(cause)
          .json(request('GET'))
          .then(String, (error: Error) => error.message),
      ),
    );
    const begin = `GET ${server.url}/path: no response`;
    expect(messages).toEqual([
      `${begin}: self-signed certificate, DEPTH_ZERO_SELF_SIGNED_CERT`,
      `${begin}: ECONNREFUSED`,
      `${begin}: bad port`,
      begin,
    ]);
  });

  it('takes 404 for success when an earlier attempt to delete may have succeeded', async () => {
    const http = new Http(impatient, async ({ refused }) => ({ Authorization: refused ? 'new' : 'old' }));
    answer = (_request, response) =>
      server.requests.length === 1 ? void response.destroy() : sendJson(response, 404, { error: 'not found' });
    expect((await http.send(request('DELETE'))).body).toBeUndefined();
    answer = (_request, response) => sendJson(response, [502, 401, 404][server.requests.length - 3]!, {});
    expect((await http.send(request('DELETE'))).body).toBeUndefined();
    expect(server.requests).toHaveLength(5);
  });

  it.each<[HttpRequest['method'], number, Record<string, string>]>([
    ['DELETE', 503, { 'Retry-After': '0' }],
    ['DELETE', 429, { 'Retry-After': '0' }],
    ['GET', 502, {}],
  ])('ends with 404 in response to the repetition of %s after %i %j', async (method, status, headers) => {
    answer = (_request, response) => sendJson(response, server.requests.length === 1 ? status : 404, {}, headers);
    await expect(new Http(impatient).json(request(method))).rejects.toMatchObject({ name: 'ApiError', status: 404 });
    expect(server.requests).toHaveLength(2);
  });

  it('ends after the last attempt with its error', async () => {
    answer = (_request, response) => sendJson(response, 429, {}, { 'Retry-After': '0' });
    await expect(new Http({ maxRetries: 2 }).json(request())).rejects.toMatchObject({ status: 429, retryAfterMs: 0 });
    expect(server.requests).toHaveLength(3);
  });

  it.each([
    [
      'of a service',
      { success: false, error: 'app_user_id is missing', error_code: 'invalid_request' },
      { code: 'invalid_request', message: '400 app_user_id is missing', outcome: undefined },
    ],
    [
      'of OAuth',
      { error: 'invalid_grant', error_description: 'the code is used' },
      { code: 'invalid_grant', message: '400 the code is used', outcome: undefined },
    ],
    [
      'of FHIR',
      {
        resourceType: 'OperationOutcome',
        issue: [{ severity: 'error', code: 'invalid', diagnostics: 'no such parameter' }],
      },
      {
        code: 'invalid',
        message: '400 no such parameter',
        outcome: expect.objectContaining({ resourceType: 'OperationOutcome' }),
      },
    ],
    ['without a body of ours', 'oops', { code: 'http_400', message: '400' }],
  ])('report an error %s', async (_api, body, { message, ...expected }) => {
    answer = (_request, response) => sendJson(response, 400, body, { 'X-Request-Id': 'request-7' });
    const error = await new Http({}).json(request()).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ ...expected, status: 400, method: 'GET', path: '/path', requestId: 'request-7' });
    expect((error as Error).message).toBe(`GET ${server.url}/path: ${message}`);
    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
  });

  it('name neither the user information nor the query of an address', async () => {
    const refuse = new Http({ fetch: async () => new Response(null, { status: 404 }) });
    const url = 'https://user:secret@auth.example.org:8443/base/oauth2/token?code=secret#secret';
    await expect(refuse.json({ method: 'POST', url })).rejects.toThrow(
      /^POST https:\/\/auth\.example\.org:8443\/base\/oauth2\/token: 404$/,
    );
  });

  it('ask once for other credentials after a 401', async () => {
    answer = ({ headers }, response) =>
      sendJson(response, headers.authorization === 'new' ? 200 : 401, { got: headers.authorization });
    const http = new Http({}, async ({ refused }) => ({ Authorization: refused ? 'new' : 'old' }));
    expect(await http.json(request('POST'))).toEqual({ got: 'new' });
    const stubborn = new Http({}, async () => ({ Authorization: 'old' }));
    await expect(stubborn.json(request())).rejects.toMatchObject({ status: 401 });
    expect(server.requests).toHaveLength(3);
  });

  it('end when the response takes too long', async () => {
    answer = () => undefined;
    await expect(new Http({ timeoutMs: 50, maxRetries: 0 }).json(request())).rejects.toThrow(TimeoutError);
  });

  it('end when a streamed body stalls, but not while the reader pauses', async () => {
    answer = (_request, response) => {
      response.write('begin');
    };
    // Only the time of the deadline stands still; the connection has that of the machine.
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick', 'performance', 'Date'] });
    const { body } = await new Http({ timeoutMs: 300 }).open(request());
    const reader = body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('begin');
    jest.advanceTimersByTime(10_000);
    let hasEnded = false;
    const stalled = reader.read().finally(() => (hasEnded = true));
    stalled.catch(() => undefined);
    await new Promise(setImmediate);
    jest.advanceTimersByTime(299);
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    jest.advanceTimersByTime(1);
    await expect(stalled).rejects.toThrow(TimeoutError);
  });

  it('reject with the reason of the signal, also during a pause between attempts', async () => {
    const controller = new AbortController();
    const reason = new Error('the user left');
    answer = (_request, response) => {
      sendJson(response, 503, {}, { 'Retry-After': '20' });
      response.once('finish', () => controller.abort(reason));
    };
    const result = new Http({}).json(request(), { signal: controller.signal });
    await expect(result).rejects.toBe(reason);
    await expect(new Http({}).json(request(), { signal: controller.signal })).rejects.toBe(reason);
  });

  it('do not follow redirects, which would disclose credentials', async () => {
    answer = (_request, response) =>
      response.writeHead(302, { Location: `${server.url}/elsewhere` }).end() && undefined;
    const http = new Http({ maxRetries: 0 }, async () => ({ client_secret: 'secret' }));
    await expect(http.json(request())).rejects.toThrow(NetworkError);
    await expect(http.json(request())).rejects.toThrow(/: no response: unexpected redirect$/);
    expect(server.requests).toHaveLength(2);
  });
});
