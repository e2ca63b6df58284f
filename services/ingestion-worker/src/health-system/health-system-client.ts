import { setTimeout as pause } from 'node:timers/promises';
import {
  type FhirVersion,
  type HealthSystemAccess,
  backoffMs,
  retryAfterMs,
  withoutFinalSlash,
} from '@tributary/contracts';
import type { GuardedHttp } from '@tributary/outbound';
import type { AccessTokenProvider } from './access-token-provider';
import type { HostRequestLimiter } from './host-request-limiter';
import { type HttpResponse, type LargeBody, isSuccess, send } from './http';
import { acceptFallbacks, acceptHeader } from './media-types';
import { issueCodesOf } from './operation-outcome';
import {
  HealthSystemRequestFailed,
  RequestTimedOut,
  RedirectToOtherHost,
  ResponseMemoryExhausted,
  UnreadableResponse,
} from './request-failures';
import type { Reservation, ResponseMemoryBudget } from './response-memory-budget';
import { type HealthSystemRetryPolicy, isRetryable, isThrottled } from './retry-policy';

/** The content of a successful response, or the status of a refusal with the codes of its OperationOutcome. */
export type ReadResult<T> = { ok: true; value: T } | { ok: false; status: number; issueCodes: string[] };

export interface ReadOptions<T> {
  /**
   * Reads the body of a successful response, unless it is large.
   * @throws UnreadableResponse when the request should be repeated
   */
  read(body: Buffer, headers: Record<string, unknown>): T;
  /** `Accept` headers to try in this order after a 406, instead of those of the FHIR release. */
  accept?: readonly [string, ...string[]];
  /** Conditions of the request, such as `If-Modified-Since`. */
  headers?: Record<string, string>;
  /** Of a body that is held. */
  maxBytes?: number;
  /** Reads a larger body, while it arrives; again when the request is repeated. */
  large?: Omit<LargeBody, 'read'> & { read(...body: Parameters<LargeBody['read']>): Promise<T> };
  /** How many times a compressed body may expand; a page as much as `GuardedHttp` allows. */
  maxExpansion?: number;
  /** Responses with the same label are expected to be as large as the last one. */
  sizeLabel?: string;
  /**
   * Keeps the memory of a successful response until the caller releases it. Without it the memory is released once the
   * body is read.
   */
  reservation?: Reservation;
}

export interface HealthSystemClientOptions {
  connectionId: string;
  fhirBaseUrl: string;
  release: FhirVersion;
  /** Parameters that every search requires, in plain text. */
  searchParameters: Record<string, string>;
  /** The URL of the patient: readable as long as the access is valid. */
  probeUrl: string;
  http: GuardedHttp;
  token: AccessTokenProvider;
  limiter: HostRequestLimiter;
  responseMemory: ResponseMemoryBudget;
  retryPolicy: HealthSystemRetryPolicy;
  signal: AbortSignal;
}

/** Real servers send Bundles of tens of megabytes; a larger response is an error. */
const maxPageBytes = 128_000_000;
const maxRedirects = 3;
const maxRenewals = 3;

/** The expected size of the first response with a label. */
const initialExpectedBytes = 64_000;
const minExpectedBytes = 1000;

interface RequestOptions {
  accept: string;
  headers: Record<string, string>;
  sizeLabel: string;
  maxBytes: number;
  maxExpansion: number | undefined;
  large: LargeBody | undefined;
  reservation: Reservation;
}

/** The content of a response, or why it cannot be used. */
type Content<T> = { ok: true; value: T } | { ok: false; error: UnreadableResponse };

/** A response, and the access token that the request carried. */
interface AuthorizedResponse extends HttpResponse {
  access: HealthSystemAccess;
}

/**
 * Reads from one health system over one connection. Renews a refused access token, waits as the server requests,
 * repeats what may succeed. Requests go to the origin of the FHIR base only, so that the access token never leaves it.
 */
export class HealthSystemClient {
  readonly #base: URL;
  /** Ids of tokens that the health system has accepted. */
  readonly #acceptedTokens = new Set<string>();
  readonly #expectedBytes = new Map<string, number>();
  #pageAccept: readonly string[];
  #hasResponded = false;
  #isAccessLost = false;
  /**
   * Whether a token was refused. From then on, a token that is refused for one URL is renewed only if it is refused for
   * the patient, too: some servers respond with 401 where others respond with 403.
   */
  #wasTokenRefused = false;

  constructor(private readonly options: HealthSystemClientOptions) {
    this.#base = new URL(options.fhirBaseUrl);
    this.#pageAccept = [acceptHeader[options.release], ...acceptFallbacks[options.release]];
  }

  /** Whether any request got a response other than throttling, a time limit or a server error. */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  get release(): FhirVersion {
    return this.options.release;
  }

  /** Resolves a reference against the FHIR base. */
  urlOf(relative: string): string {
    return new URL(relative, `${withoutFinalSlash(this.options.fhirBaseUrl)}/`).href;
  }

  /**
   * The URL of a search `Type?query`, with the parameters that the health system requires. They are not part of the
   * search, so that its fallbacks keep them. Slashes are not percent-encoded: some systems do not decode them. A read
   * `Type/id` gets none.
   */
  searchUrl(search: string): string {
    if (!search.includes('?')) return this.urlOf(search);
    const required = Object.entries(this.options.searchParameters).map(
      ([name, value]) => `&${encodeURIComponent(name)}=${encodeURIComponent(value).replaceAll('%2F', '/')}`,
    );
    return this.urlOf(search) + required.join('');
  }

  isSameOrigin(url: string): boolean {
    return URL.canParse(url) && new URL(url).origin === this.#base.origin;
  }

  /** An empty reservation for a response that is kept for a while. */
  reservation(): Reservation {
    return this.options.responseMemory.reservation(this.#base.host);
  }

  /**
   * Reads one URL, with all retries. The wait for the host limiter and for memory has no time limit; the signal of the
   * options ends it.
   * @returns the content, or the status of a refusal that retries do not change
   * @throws HealthSystemRequestFailed when all retries are used up, or the access is lost
   * @throws NeedsReauthorization, ClientNotAccepted, InternalCallError from the renewal of the access token
   * @throws the reason of the signal
   */
  async get<T>(url: string, options: ReadOptions<T>): Promise<ReadResult<T>> {
    const reservation = options.reservation ?? this.reservation();
    let isKept = false;
    try {
      const result = await this.#get(url, options, reservation);
      isKept = result.ok && options.reservation !== undefined;
      return result;
    } finally {
      if (!isKept) reservation.release();
    }
  }

  async #get<T>(url: string, options: ReadOptions<T>, reservation: Reservation): Promise<ReadResult<T>> {
    const { retryPolicy, token, limiter } = this.options;
    const { sizeLabel = '', maxBytes = maxPageBytes, maxExpansion, large: reader } = options;
    let accepts = options.accept ?? this.#pageAccept;
    let renewals = 0;
    let throttled = 0;
    let failed = 0;
    let timedOut = 0;
    for (;;) {
      if (this.#isAccessLost) throw accessLost();
      const [accept = '*/*'] = accepts;
      let largeContent: Content<T> | undefined;
      const large = reader && {
        ...reader,
        read: async (...body: Parameters<LargeBody['read']>): Promise<void> => {
          largeContent = await readContent(() => reader.read(...body));
        },
      };
      const request = { accept, headers: options.headers ?? {}, sizeLabel, maxBytes, maxExpansion, large, reservation };
      const response = await this.#requestUntilMemory(url, request);
      const { status, headers, access } = response;
      if (!isSuccess(status)) reservation.release();
      if (status >= 200 && status < 500 && status !== 408 && status !== 429) this.#hasResponded = true;
      if (status === 401) {
        if (this.#wasTokenRefused && (await this.#isStillAccepted(access, url)))
          return { ok: false, status: 401, issueCodes: [] };
        this.#wasTokenRefused = true;
        const wasAccepted = this.#acceptedTokens.delete(access.token_id);
        if (renewals > 0 && (!wasAccepted || renewals === maxRenewals)) return this.#refusedAfterRenewal(url);
        renewals++;
        await token.renew(access, wasAccepted);
      } else if (status === 406 && accepts.length > 1) {
        accepts = accepts.slice(1);
        if (!options.accept) this.#pageAccept = accepts;
      } else if (isThrottled(status)) {
        limiter.reportThrottled(this.#base.host);
        const pauseMs = retryAfterMs(headers, Date.now(), retryPolicy.maxRetryAfterMs);
        if (++throttled >= retryPolicy.maxThrottledRequests)
          throw new HealthSystemRequestFailed(status, `responded with ${status} ${throttled} times`, false, pauseMs);
        await this.#pause(pauseMs ?? backoffMs(retryPolicy, throttled));
      } else if (isSuccess(status)) {
        this.#acceptedTokens.add(access.token_id);
        limiter.reportSuccess(this.#base.host);
        const content = largeContent ?? (await readContent(() => options.read(response.body, headers)));
        if (content.ok) return content;
        if (++failed >= retryPolicy.maxFailedRequests)
          throw new HealthSystemRequestFailed(
            status,
            `sent a response that cannot be used: ${content.error.message}`,
            false,
            undefined,
            content.error.code,
          );
        await this.#pause(backoffMs(retryPolicy, failed));
      } else if (isRetryable(status)) {
        if (response.isTimedOut) timedOut++;
        if (++failed >= retryPolicy.maxFailedRequests || timedOut >= retryPolicy.maxTimedOutRequests) {
          const isTimedOut = response.isTimedOut || status === 408 || status === 504;
          const Failure = isTimedOut ? RequestTimedOut : HealthSystemRequestFailed;
          throw new Failure(status, status ? `responded with ${status} ${failed} times` : 'did not respond');
        }
        await this.#pause(backoffMs(retryPolicy, failed));
      } else {
        return { ok: false, status, issueCodes: issueCodesOf(response.body) };
      }
    }
  }

  /**
   * The renewed token was refused too: for this URL only when the patient is still readable; otherwise the access is
   * lost, and no further request is made.
   */
  async #refusedAfterRenewal<T>(url: string): Promise<ReadResult<T>> {
    const { probeUrl } = this.options;
    const isAccessValid = url !== probeUrl && (await this.#isPatientReadable());
    if (!isAccessValid) {
      this.#isAccessLost = true;
      throw accessLost();
    }
    return { ok: false, status: 401, issueCodes: [] };
  }

  /** False also when the refused token is not renewed once more: it was new. */
  async #isPatientReadable(): Promise<boolean> {
    try {
      return (await this.get(this.options.probeUrl, { read: () => true })).ok;
    } catch (error) {
      if (error instanceof HealthSystemRequestFailed && error.code === 'access_postponed') return false;
      throw error;
    }
  }

  /** Whether the health system accepts the token for the patient, while it refused it for this URL. */
  async #isStillAccepted({ token_id: tokenId }: HealthSystemAccess, url: string): Promise<boolean> {
    const { probeUrl, token } = this.options;
    if (url === probeUrl || token.newest?.token_id !== tokenId) return false;
    return (await this.#isPatientReadable()) && token.newest.token_id === tokenId;
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.options.signal });
  }

  /**
   * Repeats a request whose response did not fit into memory, with a larger reservation. Nothing is reserved in
   * between.
   */
  async #requestUntilMemory(url: string, request: RequestOptions): Promise<AuthorizedResponse> {
    for (;;) {
      try {
        const response = await this.#followRedirects(url, request);
        const expectedBytes = Math.max(minExpectedBytes, Math.ceil(response.body.length * 1.1));
        this.#expectedBytes.set(request.sizeLabel, expectedBytes);
        return response;
      } catch (error) {
        if (!(error instanceof ResponseMemoryExhausted)) throw error;
        this.#expectedBytes.set(request.sizeLabel, error.neededBytes);
        request.reservation.release();
      }
    }
  }

  /** One request, and its redirects within the origin. */
  async #followRedirects(url: string, request: RequestOptions): Promise<AuthorizedResponse> {
    let target = new URL(url);
    for (let redirects = 0; ; redirects++) {
      if (target.origin !== this.#base.origin) throw new RedirectToOtherHost();
      const response = await this.#requestOnce(target, request);
      const location = response.headers['location'];
      if (response.status < 300 || response.status > 399 || typeof location !== 'string') return response;
      if (redirects === maxRedirects || !URL.canParse(location, target.href))
        throw new HealthSystemRequestFailed(response.status, 'redirects without end', true);
      target = new URL(location, target);
      request.reservation.release();
    }
  }

  async #requestOnce(
    url: URL,
    { accept, headers: conditions, sizeLabel, maxBytes, maxExpansion, large, reservation }: RequestOptions,
  ): Promise<AuthorizedResponse> {
    const { http, signal, limiter, token, connectionId, retryPolicy } = this.options;
    const { idleTimeoutMs } = retryPolicy;
    const fetched = await token.get();
    return limiter.run(url.host, connectionId, signal, async () => {
      await reservation.reserve(Math.min(this.#expectedBytes.get(sizeLabel) ?? initialExpectedBytes, maxBytes), signal);
      // Another request may have renewed the token while this one waited.
      const access = token.newest ?? fetched;
      const headers = { ...conditions, Accept: accept, Authorization: `Bearer ${access.access_token}` };
      const limits = { maxBytes, maxExpansion, large, reservation, idleTimeoutMs };
      return { ...(await send(url, { http, headers, ...limits, signal })), access };
    });
  }
}

async function readContent<T>(read: () => T | Promise<T>): Promise<Content<T>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    if (error instanceof UnreadableResponse) return { ok: false, error };
    throw error;
  }
}

function accessLost(): HealthSystemRequestFailed {
  return new HealthSystemRequestFailed(401, 'refuses its renewed access', false, undefined, 'access_lost');
}
