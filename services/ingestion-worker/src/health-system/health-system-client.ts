import { setTimeout as pause } from 'node:timers/promises';
import type { FhirVersion } from '@tributary/contracts';
import { type AxiosInstance, AxiosError } from 'axios';
import type { AccessToken } from './access-token';
import type { HostLimits } from './host-limits';
import { acceptAlternatives, acceptOf } from './media-types';
import { backoffMs, retryAfterMs } from './retry-after';

export interface HealthSystemAnswer {
  status: number;
  /** Where the answer came from, after redirects. */
  url: string;
  headers: Record<string, unknown>;
  body: Buffer;
}

/** No answer could be had, however often it was tried. */
export class HealthSystemUnreachable extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'HealthSystemUnreachable';
  }
}

export interface HealthSystemClientOptions {
  fhirBaseUrl: string;
  release: FhirVersion;
  http: AxiosInstance;
  token: AccessToken;
  limits: HostLimits;
  signal: AbortSignal;
}

const throttledAttempts = 8;
const failedAttempts = 4;
const redirects = 3;
const passing = new Set([408, 500, 502, 504]);

/**
 * Reads from one health system over one connection, patiently: one refresh when the token is refused, pauses that the server asks for,
 * retries of what may pass. The bearer token never leaves the FHIR origin.
 */
export class HealthSystemClient {
  readonly #origin: string;
  #accept: string;

  constructor(private readonly options: HealthSystemClientOptions) {
    this.#origin = new URL(options.fhirBaseUrl).origin;
    this.#accept = acceptOf[options.release];
  }

  /**
   * @returns the answer with whatever status the server finally gave, other than those that may pass
   * @throws HealthSystemUnreachable when what may pass did not
   */
  async get(url: string): Promise<HealthSystemAnswer> {
    const alternatives = [...acceptAlternatives[this.options.release]];
    let refreshed = false;
    let throttled = 0;
    let failed = 0;
    for (;;) {
      const access = await this.options.token.get();
      const answer = await this.#send(url, access.access_token);
      if (answer.status === 401 && !refreshed) {
        refreshed = true;
        await this.options.token.renew(access);
      } else if (answer.status === 406 && alternatives.length > 0) {
        this.#accept = alternatives.shift() ?? this.#accept;
      } else if (answer.status === 429 || answer.status === 503) {
        if (++throttled >= throttledAttempts) throw new HealthSystemUnreachable(answer.status, `answered ${answer.status} ${throttled} times`);
        await this.#pause(retryAfterMs(answer.headers, Date.now()) ?? backoffMs(throttled));
      } else if (answer.status === 0 || passing.has(answer.status)) {
        if (++failed >= failedAttempts) throw new HealthSystemUnreachable(answer.status, answer.status ? `answered ${answer.status} ${failed} times` : 'did not answer');
        await this.#pause(backoffMs(failed));
      } else {
        return answer;
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.options.signal });
  }

  /** One request and its redirects; status 0 when no answer came. */
  async #send(url: string, token: string): Promise<HealthSystemAnswer> {
    let target = new URL(url);
    for (let hop = 0; ; hop++) {
      const answer = await this.options.limits.run(target.host, () => this.#once(target, token));
      const location = answer.headers['location'];
      if (answer.status < 300 || answer.status > 399 || typeof location !== 'string' || hop >= redirects) return answer;
      target = new URL(location, target);
    }
  }

  async #once(url: URL, token: string): Promise<HealthSystemAnswer> {
    const { http, signal } = this.options;
    signal.throwIfAborted();
    try {
      const headers = { Accept: this.#accept, ...(url.origin === this.#origin ? { Authorization: `Bearer ${token}` } : {}) };
      const response = await http.get<Buffer>(url.href, { headers, signal });
      return { status: response.status, url: url.href, headers: { ...response.headers }, body: response.data };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AxiosError) return { status: 0, url: url.href, headers: {}, body: Buffer.alloc(0) };
      throw error;
    }
  }
}
