import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { retryAfterMs } from '@tributary/contracts';
import { AddressNotAllowed, lookupPublicAddress, outboundAgents, assertPublicUrl } from '@tributary/public-addresses';
import axios, { AxiosError, type AxiosInstance, type AxiosRequestConfig } from 'axios';

export interface OutboundOptions {
  /** Allows http and private addresses, for health systems and clients on the developer's machine. */
  allowPrivateAddresses: boolean;
  /** The time limit of a request, from connecting to the end of the response. Default 15,000. */
  timeoutMs?: number;
}

export interface OutboundResponse {
  status: number;
  /** At most 16 MiB. */
  text: string;
  /** The header `Retry-After`, in seconds from now. */
  retryAfterSeconds?: number | undefined;
}

/**
 * A request without a usable response: the address is forbidden or unreachable, or the response too slow or too large.
 */
export class OutboundRequestFailed extends Error {
  constructor(readonly reason: string) {
    super(`the request failed: ${reason}`);
    this.name = 'OutboundRequestFailed';
  }
}

const maxBytes = 16 * 1024 * 1024;
const maxRedirects = 3;
const resolvePublicly = promisify(lookupPublicAddress);

/**
 * HTTP requests to health systems and to clients' webhook endpoints. Only https and public addresses are allowed, which
 * is checked on the resolved address of every connection, also after a redirect. Time and size are limited; there are
 * no cookies, no proxy and no retries. A response of any status is returned.
 */
export class OutboundHttp {
  readonly #http: AxiosInstance;

  constructor(private readonly options: OutboundOptions) {
    this.#http = axios.create({
      headers: { 'User-Agent': 'Tributary' },
      timeout: options.timeoutMs ?? 15_000,
      ...outboundAgents({ allowPrivateAddresses: options.allowPrivateAddresses }),
      maxRedirects: 0,
      maxContentLength: maxBytes,
      maxBodyLength: maxBytes,
      proxy: false,
      responseType: 'text',
      transformResponse: (body: unknown) => body,
      validateStatus: () => true,
    });
  }

  /** Follows up to three redirects. @throws OutboundRequestFailed */
  async get(url: string, accept: string, signal?: AbortSignal): Promise<OutboundResponse> {
    let target = url;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#request({
        method: 'GET',
        url: target,
        headers: { Accept: accept },
        ...(signal ? { signal } : {}),
      });
      if (![301, 302, 303, 307, 308].includes(response.status) || !response.location) return response;
      if (redirects === maxRedirects) throw new OutboundRequestFailed('too many redirects');
      target = this.#resolveUrl(response.location, target);
    }
  }

  /** Sends a GET request as a browser would, but follows no redirect. @throws OutboundRequestFailed */
  getWithoutRedirects(url: string, accept: string): Promise<OutboundResponse & { location: string | undefined }> {
    return this.#request({ method: 'GET', url, headers: { Accept: accept } });
  }

  /**
   * Posts a form. Redirects are not followed, as they would send its secrets elsewhere.
   * @throws OutboundRequestFailed
   */
  postForm(url: string, form: Record<string, string>, headers: Record<string, string>): Promise<OutboundResponse> {
    return this.#request({
      method: 'POST',
      url,
      data: new URLSearchParams(form).toString(),
      headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /**
   * Posts a JSON text. Redirects are not followed, and the body of the response is not read.
   * @returns the status
   * @throws OutboundRequestFailed
   */
  async postJson(url: string, body: string, headers: Record<string, string>): Promise<number> {
    const { status } = await this.#request({
      method: 'POST',
      url,
      data: Buffer.from(body),
      responseType: 'stream',
      headers: { Accept: '*/*', 'Content-Type': 'application/json', ...headers },
    });
    return status;
  }

  /** @throws OutboundRequestFailed when neither requests nor browsers may be sent to this URL */
  async assertSafeUrl(url: string): Promise<void> {
    try {
      const parsed = new URL(url);
      if (!/^https?:$/.test(parsed.protocol)) throw new AddressNotAllowed('it is not an http(s) URL');
      if (this.options.allowPrivateAddresses) return;
      assertPublicUrl(parsed);
      await resolvePublicly(parsed.hostname.replace(/^\[|\]$/g, ''), { all: true });
    } catch (error) {
      throw toRequestFailure(error);
    }
  }

  async #request(
    config: Omit<AxiosRequestConfig, 'signal'> & { url: string; signal?: AbortSignal },
  ): Promise<OutboundResponse & { location: string | undefined }> {
    try {
      if (!this.options.allowPrivateAddresses) assertPublicUrl(new URL(config.url));
      const deadline = AbortSignal.timeout((this.options.timeoutMs ?? 15_000) + 1000);
      const response = await this.#http.request<unknown>({
        ...config,
        signal: config.signal ? AbortSignal.any([deadline, config.signal]) : deadline,
      });
      if (config.responseType === 'stream') (response.data as Readable).destroy();
      const location: unknown = response.headers['location'];
      const delayMs = retryAfterMs(response.headers, Date.now());
      return {
        status: response.status,
        text: typeof response.data === 'string' ? response.data : '',
        location: typeof location === 'string' ? location : undefined,
        retryAfterSeconds: delayMs === undefined ? undefined : delayMs / 1000,
      };
    } catch (error) {
      throw toRequestFailure(error);
    }
  }

  #resolveUrl(location: string, from: string): string {
    try {
      return new URL(location, from).href;
    } catch (error) {
      throw toRequestFailure(error);
    }
  }
}

/** The reason never contains the URL, which can hold an authorization code. */
function toRequestFailure(error: unknown): OutboundRequestFailed {
  if (error instanceof OutboundRequestFailed) return error;
  const cause = error instanceof AxiosError ? error.cause : error;
  if (cause instanceof AddressNotAllowed) return new OutboundRequestFailed(cause.message);
  if (error instanceof AxiosError) return new OutboundRequestFailed(error.code ?? 'the connection failed');
  return new OutboundRequestFailed(error instanceof TypeError ? 'the URL is invalid' : 'the connection failed');
}
