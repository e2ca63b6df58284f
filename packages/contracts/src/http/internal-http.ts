import { randomUUID } from 'node:crypto';
import { type ClientRequest, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { SecureContextOptions } from 'node:tls';
import axios, { type AxiosInstance, type AxiosRequestConfig, AxiosError } from 'axios';
import type { ZodType } from 'zod';
import { serviceError } from '../errors/service-error';
import { withRetries } from './retry';
import { retryAfterMs } from './retry-after';

/** The values of `X-Request-Id` that are accepted from callers; any other value is replaced by a new id. */
export const requestIdPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The request id that the caller sent in `X-Request-Id`, or a new one where it sent none or an unacceptable one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && requestIdPattern.test(header) ? header : randomUUID();
}

export interface InternalHttpOptions {
  /** Names the called service in error messages. */
  service: string;
  baseUrl: string;
  /** Name and key of the calling service. A key that can change is read for each call. */
  caller: string;
  key: string | { readonly current: string };
  /** Returns the certificate of the caller and the trusted authorities; another object after they were replaced. */
  tls?: () => SecureContextOptions;
}

/** Of a caller: the id of the request that it serves, and what ends the call early. */
export interface CallContext {
  requestId?: string | undefined;
  signal?: AbortSignal;
}

/**
 * The calls between services are idempotent: each may run twice, since it is repeated after a failure. One that is not
 * is repeated only where no connection was established.
 */
export interface InternalCall<T> extends CallContext {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  query?: Record<string, string | number | undefined>;
  contentType?: string;
  headers?: Record<string, string>;
  /** The shape of a 2xx response. */
  response: ZodType<T>;
  /** The time limit over all attempts, in milliseconds; 10,000 by default. */
  timeoutMs?: number;
  /** Statuses that answer with the shape of `response`, beside 2xx. */
  answers?: readonly number[];
  /** Absent: true. */
  isIdempotent?: boolean;
}

/** The error code of a call for which no connection was established. */
const notConnected = 'not_connected';
/** System errors, and the reasons why Node.js refuses the certificate of a server. */
const connectionErrors =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|ERR_TLS_CERT_ALTNAME_INVALID)$/;

/** A call to another service failed. `status` is the HTTP status, or 0 when no response arrived. */
export class InternalCallError extends Error {
  constructor(
    readonly service: string,
    readonly status: number,
    readonly errorCode: string,
    message: string,
    /** The header `Retry-After` of the response, in seconds. */
    readonly retryAfterSeconds?: number | undefined,
    /** The message of the response, for the caller of the calling service. */
    readonly reason?: string | undefined,
  ) {
    super(message);
    this.name = 'InternalCallError';
  }

  get isNotConnected(): boolean {
    return this.errorCode === notConnected;
  }

  /** Whether the service may have carried the call out. */
  get isOutcomeUnknown(): boolean {
    return [0, 500, 502, 504].includes(this.status) && !this.isNotConnected;
  }
}

/** The result of a call; undefined when it failed with an error that stands for an absent result. */
export async function absentWhen<T>(
  call: Promise<T>,
  isAbsence: (error: InternalCallError) => boolean,
): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof InternalCallError && isAbsence(error)) return undefined;
    throw error;
  }
}

const agentOptions = { keepAlive: true, maxSockets: 64 };
const defaultTimeoutMs = 10_000;
const retryPolicy = { firstPauseMs: 200, maxPauseMs: 400, maxAttempts: 3 };
const unexpectedResponse = 'unexpected_response';
/** 0 stands for no response at all. */
const temporaryStatuses = new Set([0, 429, 502, 503, 504]);

/**
 * Whether a call to another service of the suite failed because that service is unavailable or overloaded: the same
 * call may succeed later.
 */
export function isServiceUnavailable(error: unknown): boolean {
  return (
    error instanceof InternalCallError && temporaryStatuses.has(error.status) && error.errorCode !== unexpectedResponse
  );
}

function isNotConnected(error: unknown): boolean {
  return error instanceof InternalCallError && error.isNotConnected;
}

/** A longer `Retry-After` is for the caller: the call is not repeated. */
const maxRetryAfterSeconds = 5;

function mayRetrySoon(error: unknown): boolean {
  const { retryAfterSeconds = 0 } = error instanceof InternalCallError ? error : {};
  return isServiceUnavailable(error) && retryAfterSeconds <= maxRetryAfterSeconds;
}

/**
 * The HTTP client of calls between services: service credentials, one time limit over all attempts, retries.
 */
export class InternalHttp {
  readonly #http: AxiosInstance;
  #secure: { tls: SecureContextOptions; agent: HttpsAgent } | undefined;

  constructor(private readonly options: InternalHttpOptions) {
    this.#http = axios.create({
      baseURL: options.baseUrl,
      httpAgent: new HttpAgent(agentOptions),
      httpsAgent: new HttpsAgent(agentOptions),
      maxRedirects: 0,
      maxBodyLength: Infinity,
      maxContentLength: Infinity,
      proxy: false,
    });
  }

  /** @throws InternalCallError when no 2xx response of the expected shape arrives in time */
  call<T>(call: InternalCall<T>): Promise<T> {
    const { timeoutMs = defaultTimeoutMs } = call;
    const deadline = performance.now() + timeoutMs;
    return withRetries(
      { ...retryPolicy, maxElapsedMs: timeoutMs },
      () => this.#attempt(call, deadline - performance.now()),
      { isRetryable: call.isIdempotent === false ? isNotConnected : mayRetrySoon, signal: call.signal },
    );
  }

  /**
   * The lines of a response in NDJSON, as they arrive. The call is not repeated.
   * @throws InternalCallError as `call`, also when the response ends early
   */
  async *lines<T>(call: InternalCall<T>): AsyncGenerator<T> {
    const config = this.#configOf(call, call.timeoutMs ?? defaultTimeoutMs);
    try {
      const { data, request } = await this.#http.request<Readable>({ ...config, responseType: 'stream' });
      try {
        for await (const line of createInterface({ input: data, crlfDelay: Infinity }))
          yield this.#parsed(call, JSON.parse(line));
        // What ends early ends the lines without an error.
        await finished(data);
      } finally {
        // Its reader, or a malformed line, has ended the lines: the service stops then too. `data` is a stream of
        // axios, which does not close the connection while it waits for a chunk.
        if (!data.readableEnded) {
          data.on('error', () => undefined).destroy();
          (request as ClientRequest).destroy();
        }
      }
    } catch (error) {
      if (error instanceof InternalCallError) throw error;
      if (error instanceof AxiosError) {
        if (error.response) error.response.data = await json(error.response.data as Readable).catch(() => undefined);
        throw this.#failure(call, error);
      }
      const { service } = this.options;
      throw new InternalCallError(service, 0, 'call_failed', `${service} has ended ${call.method} ${call.path} early`);
    }
  }

  /**
   * Sends content of unknown length while it arrives. The call is not repeated, as the content cannot be.
   * @param call its time limit: for how long the service may take nothing, and for the response after the content
   * @throws what the content throws, of which the service then gets no end; otherwise InternalCallError, as `call`
   */
  async upload<T>(call: Omit<InternalCall<T>, 'body'>, content: AsyncIterable<Buffer>): Promise<T> {
    const stall = new AbortController();
    const timer = setTimeout(() => stall.abort(), call.timeoutMs ?? defaultTimeoutMs);
    const body = Readable.from(refreshing(timer, content), { objectMode: false });
    // Without a listener, the error of a body that nobody reads any more would end the process.
    body.on('error', () => undefined);
    const signal = call.signal ? AbortSignal.any([call.signal, stall.signal]) : stall.signal;
    try {
      // The time limit of axios is one from the beginning to the response.
      const { data } = await this.#http.request<unknown>(this.#configOf({ ...call, body, signal }, undefined));
      return this.#parsed(call, data);
    } catch (error) {
      throw body.errored ?? (error instanceof InternalCallError ? error : this.#failure(call, error));
    } finally {
      clearTimeout(timer);
      body.destroy();
    }
  }

  async #attempt<T>(call: InternalCall<T>, timeoutMs: number): Promise<T> {
    const config = this.#configOf(call, timeoutMs);
    let data: unknown;
    try {
      data = (await this.#http.request(config)).data;
    } catch (error) {
      throw this.#failure(call, error);
    }
    return this.#parsed(call, data);
  }

  #parsed<T>(call: InternalCall<T>, data: unknown): T {
    const parsed = call.response.safeParse(data);
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join('.') || '(body)').join(', ');
    throw new InternalCallError(
      this.options.service,
      502,
      unexpectedResponse,
      `${this.options.service} sent an unexpected response to ${call.method} ${call.path}: ${fields}`,
    );
  }

  #configOf(call: InternalCall<unknown>, timeoutMs: number | undefined): AxiosRequestConfig {
    const { caller, key } = this.options;
    const config: AxiosRequestConfig = {
      auth: { username: caller, password: typeof key === 'string' ? key : key.current },
      method: call.method,
      url: call.path,
      data: call.body,
      timeout: timeoutMs === undefined ? 0 : Math.max(1, Math.ceil(timeoutMs)),
      headers: {
        ...call.headers,
        ...(call.requestId ? { 'x-request-id': call.requestId } : {}),
        ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
      },
    };
    const httpsAgent = this.#tlsAgent();
    if (httpsAgent) config.httpsAgent = httpsAgent;
    if (call.query) config.params = call.query;
    if (call.signal) config.signal = call.signal;
    const { answers } = call;
    if (answers) config.validateStatus = (status) => (status >= 200 && status < 300) || answers.includes(status);
    return config;
  }

  /** Calls under way finish on the agent before. Its idle connections are closed by the service. */
  #tlsAgent(): HttpsAgent | undefined {
    const tls = this.options.tls?.();
    if (tls && this.#secure?.tls !== tls) this.#secure = { tls, agent: new HttpsAgent({ ...agentOptions, ...tls }) };
    return this.#secure?.agent;
  }

  #failure(call: InternalCall<unknown>, error: unknown): InternalCallError {
    const { service } = this.options;
    if (!(error instanceof AxiosError)) throw error;
    const status = error.response?.status ?? 0;
    const body = serviceError.safeParse(error.response?.data);
    const delayMs = retryAfterMs(error.response?.headers ?? {}, Date.now());
    const reason = body.success ? body.data.error : (error.code ?? 'no response');
    return new InternalCallError(
      service,
      status,
      body.success ? body.data.error_code : connectionErrors.test(error.code ?? '') ? notConnected : 'call_failed',
      `${service} refused ${call.method} ${call.path} (${status || 'no response'}): ${reason}`,
      delayMs === undefined ? undefined : Math.ceil(delayMs / 1000),
      body.data?.error,
    );
  }
}

async function* refreshing(timer: NodeJS.Timeout, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    timer.refresh();
    yield piece;
  }
  timer.refresh();
}
