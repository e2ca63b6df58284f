import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import axios, { type AxiosInstance, type AxiosRequestConfig, AxiosError } from 'axios';
import type { ZodType } from 'zod';
import { serviceError } from '../errors';

export interface InternalHttpOptions {
  /** The service that is called, for error messages. */
  service: string;
  baseUrl: string;
  /** Name and key of the calling service. */
  caller: string;
  key: string;
  /** Milliseconds for a call with all its attempts; 10,000 by default. */
  timeoutMs?: number;
}

export interface InternalCall<T> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
  query?: Record<string, string | number | undefined>;
  contentType?: string;
  /** The shape of a 2xx answer. */
  response: ZodType<T>;
  /** Only these are tried again. */
  idempotent: boolean;
  requestId?: string | undefined;
  /** Instead of that of the options. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** A call to another service failed: `status` 0 means that no answer came. */
export class InternalCallError extends Error {
  constructor(
    readonly service: string,
    readonly status: number,
    readonly errorCode: string,
    message: string,
  ) {
    super(message);
    this.name = 'InternalCallError';
  }
}

const attempts = 3;
const ordinaryTimeoutMs = 10_000;
const passing = new Set([0, 502, 503, 504]);

/** Calls between services: service credentials, one time limit over all attempts, and retries where the call may run twice. */
export class InternalHttp {
  readonly #http: AxiosInstance;

  constructor(private readonly options: InternalHttpOptions) {
    this.#http = axios.create({
      baseURL: options.baseUrl,
      auth: { username: options.caller, password: options.key },
      httpAgent: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
      httpsAgent: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
      maxRedirects: 0,
      maxBodyLength: Infinity,
      maxContentLength: Infinity,
      proxy: false,
    });
  }

  /** @throws InternalCallError when no 2xx answer of the expected shape came */
  async call<T>(call: InternalCall<T>): Promise<T> {
    const deadline = performance.now() + (call.timeoutMs ?? this.options.timeoutMs ?? ordinaryTimeoutMs);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once(call, deadline - performance.now());
      } catch (error) {
        const pauseMs = 100 * 2 ** attempt * (0.5 + Math.random());
        const mayPass = error instanceof InternalCallError && passing.has(error.status);
        const again = call.idempotent && mayPass && attempt < attempts && performance.now() + pauseMs < deadline;
        if (!again || call.signal?.aborted) throw error;
        await pause(pauseMs, undefined, call.signal ? { signal: call.signal } : {});
      }
    }
  }

  async #once<T>(call: InternalCall<T>, timeoutMs: number): Promise<T> {
    const config: AxiosRequestConfig = {
      method: call.method,
      url: call.path,
      data: call.body,
      timeout: Math.max(1, Math.ceil(timeoutMs)),
      headers: {
        ...(call.requestId ? { 'x-request-id': call.requestId } : {}),
        ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
      },
    };
    if (call.query) config.params = call.query;
    if (call.signal) config.signal = call.signal;
    let data: unknown;
    try {
      data = (await this.#http.request(config)).data;
    } catch (error) {
      throw this.#failure(call, error);
    }
    const parsed = call.response.safeParse(data);
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join('.') || '(body)').join(', ');
    throw new InternalCallError(
      this.options.service,
      502,
      'unexpected_answer',
      `${this.options.service} answered ${call.method} ${call.path} in an unexpected shape: ${fields}`,
    );
  }

  #failure(call: InternalCall<unknown>, error: unknown): InternalCallError {
    const { service } = this.options;
    if (!(error instanceof AxiosError)) throw error;
    const status = error.response?.status ?? 0;
    const body = serviceError.safeParse(error.response?.data);
    const reason = body.success ? body.data.error : (error.code ?? 'no answer');
    return new InternalCallError(
      service,
      status,
      body.success ? body.data.error_code : 'call_failed',
      `${service} refused ${call.method} ${call.path} (${status || 'no answer'}): ${reason}`,
    );
  }
}
