import { Deadline } from './deadline.ts';
import { ApiError, NetworkError, TributaryError, addressOf, readApiError } from './errors.ts';
import { hasUnknownOutcome, pause, retryPauseMs } from './retry.ts';

export interface HttpOptions {
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** The time-out of each attempt in milliseconds, and of each piece of a streamed body; 60,000 by default. */
  timeoutMs?: number | undefined;
  /** Attempts after the first one; 3 by default. */
  maxRetries?: number | undefined;
  /**
   * The longest pause before an attempt in milliseconds; 30,000 by default. A longer `Retry-After` ends in the error.
   */
  maxRetryDelayMs?: number | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call; it then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Replaces the `timeoutMs` of the client. */
  timeoutMs?: number | undefined;
}

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  /** A form, a text, or a function that returns the form of one attempt. */
  body?: URLSearchParams | string | (() => Promise<URLSearchParams>);
  /**
   * Whether the request can be repeated when its outcome is unknown; by default GET, PUT and DELETE. 404 in response to
   * such a repetition of DELETE is a success: an attempt whose response was lost has deleted the resource.
   */
  isIdempotent?: boolean;
}

/**
 * Returns the headers that authenticate a request.
 * @param refused those that the service refused with 401; the request ends with that error when the same are returned
 */
export type Authenticate = (options: {
  refused?: Record<string, string>;
  signal?: AbortSignal | undefined;
}) => Promise<Record<string, string>>;

/** Sends requests with credentials, time-outs and retries. */
export class Http {
  readonly #options: HttpOptions;
  readonly #authenticate: Authenticate;

  constructor(options: HttpOptions, authenticate: Authenticate = async () => ({})) {
    this.#options = options;
    this.#authenticate = authenticate;
  }

  /** @throws ApiError, NetworkError, TimeoutError, or the reason of the signal */
  async json<T>(request: HttpRequest, options: CallOptions = {}): Promise<T> {
    return (await this.send(request, options)).body as T;
  }

  /** Sends a request and reads the whole response. @throws as `json` */
  send(request: HttpRequest, options: CallOptions = {}): Promise<{ response: Response; body: unknown }> {
    return this.#authenticated(request, options, async (attempt, deadline) => {
      const response = await attempt();
      try {
        return { response, body: readJson(await response.text()) };
      } finally {
        deadline.end();
      }
    });
  }

  /**
   * Sends a request and returns the response with its body as a stream, in which each piece has the time-out. An
   * interrupted body is not requested again.
   * @throws as `json`
   */
  open(request: HttpRequest, options: CallOptions = {}): Promise<Response> {
    return this.#authenticated(request, options, async (attempt, deadline) => {
      const response = await attempt();
      if (!response.body) {
        deadline.end();
        return response;
      }
      const watched = watchedBody(response.body, deadline, (error) =>
        asFailure(error, deadline.signal, request.method, request.url),
      );
      return new Response(watched, response);
    });
  }

  /** Repeats a request once with other credentials when the service refuses them. */
  async #authenticated<T>(request: HttpRequest, options: CallOptions, read: Read<T>): Promise<T> {
    const { signal } = options;
    const past = { hasUnknownOutcome: false };
    const credentials = await this.#authenticate({ signal });
    try {
      return await this.#repeated(request, credentials, options, read, past);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const renewed = await this.#authenticate({ refused: credentials, signal });
      if (JSON.stringify(renewed) === JSON.stringify(credentials)) throw error;
      return this.#repeated(request, renewed, options, read, past);
    }
  }

  /** @param past whether an earlier attempt may have been carried out */
  async #repeated<T>(
    request: HttpRequest,
    credentials: Record<string, string>,
    { signal, timeoutMs = this.#options.timeoutMs ?? 60_000 }: CallOptions,
    read: Read<T>,
    past: { hasUnknownOutcome: boolean },
  ): Promise<T> {
    const { maxRetries = 3, maxRetryDelayMs = 30_000 } = this.#options;
    const {
      method,
      url,
      headers,
      body,
      isIdempotent = method === 'GET' || method === 'PUT' || method === 'DELETE',
    } = request;
    for (let failures = 1; ; failures++) {
      const deadline = new Deadline(timeoutMs, signal);
      try {
        return await read(async () => {
          const content = typeof body === 'function' ? await body() : body;
          const response = await (this.#options.fetch ?? fetch)(url, {
            method,
            headers: { Accept: 'application/json', ...headers, ...credentials },
            ...(content === undefined ? {} : { body: content }),
            signal: deadline.signal,
            // A redirect to another host would receive the headers client_id and client_secret.
            redirect: 'error',
          });
          if (response.ok) return response;
          const error = await readApiError(method, url, response);
          if (error.status === 404 && method === 'DELETE' && past.hasUnknownOutcome)
            return new Response(null, { status: 204 });
          throw error;
        }, deadline);
      } catch (error) {
        deadline.end();
        const failure = asFailure(error, deadline.signal, method, url);
        past.hasUnknownOutcome ||= hasUnknownOutcome(failure);
        const pauseMs = retryPauseMs(failure, isIdempotent, failures, { maxRetries, maxRetryDelayMs });
        if (pauseMs === undefined) throw failure;
        await pause(pauseMs, signal);
      }
    }
  }
}

type Read<T> = (attempt: () => Promise<Response>, deadline: Deadline) => Promise<T>;

/** What a failed attempt is reported as. `fetch` throws TypeErrors for failures of the network. */
function asFailure(error: unknown, signal: AbortSignal, method: string, url: string): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof TributaryError) return error;
  return new NetworkError(`${method} ${addressOf(url)}: no response${reasonOf(error)}`, { cause: error });
}

/** Why the network failed, such as an unknown name or certificate: Node tells it in the cause of its TypeError. */
function reasonOf(error: unknown): string {
  const { message, code } = Object((error as { cause?: unknown } | undefined)?.cause) as Record<string, unknown>;
  const texts = [message, code].filter((text) => typeof text === 'string' && text !== '') as string[];
  const said = texts.filter((text, index) => index === 0 || !texts[0]?.includes(text)).join(', ');
  return said && `: ${said}`;
}

/** The body as a stream that ends the deadline, which runs only while a piece is awaited. */
function watchedBody(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  deadline: Deadline,
  failureOf: (error: unknown) => unknown,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  deadline.hold();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        deadline.extend();
        try {
          const { done, value } = await reader.read();
          deadline.hold();
          if (!done) return controller.enqueue(value);
          deadline.end();
          controller.close();
        } catch (error) {
          deadline.end();
          controller.error(failureOf(error));
        }
      },
      cancel(reason) {
        deadline.end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

function readJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new TributaryError('the response is not JSON');
  }
}
