import { retryAfterMs } from '@tributary/contracts';
import { GuardedHttp, type OutboundRequest } from '@tributary/outbound';

export interface OutboundResponse {
  status: number;
  /** At most 16 MiB. */
  text: string;
  location: string | undefined;
  /** The header `Retry-After`, in seconds from now. */
  retryAfterSeconds?: number | undefined;
}

const maxBytes = 16 * 1024 * 1024;

/** Requests to health systems and to clients' webhook endpoints. They throw `OutboundRequestFailed`. */
export class OutboundHttp {
  readonly #http: GuardedHttp;
  readonly #totalMs: number;

  /**
   * @param allowPrivateAddresses allows http and private addresses, on the developer's machine
   * @param timeoutMs the time limit of a request, from connecting to the end of the response
   */
  constructor({ allowPrivateAddresses, timeoutMs = 15_000 }: { allowPrivateAddresses: boolean; timeoutMs?: number }) {
    this.#http = new GuardedHttp({ allowPrivateAddresses });
    this.#totalMs = timeoutMs;
  }

  get(url: string, accept: string, signal?: AbortSignal): Promise<OutboundResponse> {
    return this.#request({ method: 'GET', url, headers: { Accept: accept }, redirects: 3, signal });
  }

  getWithoutRedirects(url: string, accept: string, headers: Record<string, string> = {}): Promise<OutboundResponse> {
    return this.#request({ method: 'GET', url, headers: { Accept: accept, ...headers } });
  }

  /** Posts a form. Redirects are not followed, as they would send its secrets elsewhere. */
  postForm(url: string, form: Record<string, string>, headers: Record<string, string>): Promise<OutboundResponse> {
    return this.#request({
      method: 'POST',
      url,
      body: new URLSearchParams(form).toString(),
      headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /** Posts a JSON text. Redirects are not followed, and the body of the response is not read. @returns the status */
  async postJson(url: string, body: string, headers: Record<string, string>): Promise<number> {
    const response = await this.#http.stream({
      method: 'POST',
      url,
      body,
      headers: { Accept: '*/*', 'Content-Type': 'application/json', ...headers },
      totalMs: this.#totalMs,
      maxBytes,
    });
    response.body.destroy();
    return response.status;
  }

  /** @throws OutboundRequestFailed when neither requests nor browsers may be sent to this URL */
  assertSafeUrl(url: string): Promise<void> {
    return this.#http.assertAllowed(url);
  }

  async #request(request: Omit<OutboundRequest, 'totalMs' | 'maxBytes'>): Promise<OutboundResponse> {
    const { status, headers, text } = await this.#http.request({ ...request, totalMs: this.#totalMs, maxBytes });
    const delayMs = retryAfterMs(headers, Date.now());
    const retryAfterSeconds = delayMs === undefined ? undefined : delayMs / 1000;
    return { status, text, location: headers.location, retryAfterSeconds };
  }
}
