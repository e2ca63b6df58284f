import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { AddressNotAllowed, lookupPublicAddress, outboundAgents, assertPublicUrl } from '@tributary/public-addresses';
import axios, { AxiosError, type AxiosInstance, type AxiosRequestConfig } from 'axios';

export interface OutboundOptions {
  /** `true` lets http and private addresses through, for health systems and clients on the developer's machine. */
  allowPrivateAddresses: boolean;
  timeoutMs?: number;
}

export interface OutboundResponse {
  status: number;
  /** Of at most 16 MB. */
  text: string;
}

/** No answer came that could be read: the address is refused or unreachable, too slow or too large. */
export class OutboundRequestFailed extends Error {
  constructor(readonly reason: string) {
    super(`no answer from the health system: ${reason}`);
    this.name = 'OutboundRequestFailed';
  }
}

const maxBytes = 16 * 1024 * 1024;
const maxRedirects = 3;
const resolvePublicly = promisify(lookupPublicAddress);

/**
 * Calls to health systems, and to clients' webhook endpoints: https and public addresses only, checked on the resolved address of every connection, also after a redirect;
 * a limit on time and size; no cookies, no proxy, no retries. An answer of any status is an answer.
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

  /** Follows up to three redirects. */
  async get(url: string, accept: string, signal?: AbortSignal): Promise<OutboundResponse> {
    let target = url;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.#request({
        method: 'GET',
        url: target,
        headers: { Accept: accept },
        ...(signal ? { signal } : {}),
      });
      if (![301, 302, 303, 307, 308].includes(answer.status) || !answer.location) return answer;
      if (redirects === maxRedirects) throw new OutboundRequestFailed('too many redirects');
      target = this.#resolved(answer.location, target);
    }
  }

  /** A form; redirects are not followed, as they would carry its secrets elsewhere. */
  postForm(url: string, form: Record<string, string>, headers: Record<string, string>): Promise<OutboundResponse> {
    return this.#request({
      method: 'POST',
      url,
      data: new URLSearchParams(form).toString(),
      headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  /** A JSON text; redirects are not followed, and what is answered is not read. @returns the status */
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

  /** @throws OutboundRequestFailed when a browser must not be sent to this address either */
  async refuseUnsafe(url: string): Promise<void> {
    try {
      const parsed = new URL(url);
      if (!/^https?:$/.test(parsed.protocol)) throw new AddressNotAllowed('it is not a web address');
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
      const answer = await this.#http.request<unknown>({
        ...config,
        signal: config.signal ? AbortSignal.any([deadline, config.signal]) : deadline,
      });
      if (config.responseType === 'stream') (answer.data as Readable).destroy();
      const location: unknown = answer.headers['location'];
      return {
        status: answer.status,
        text: typeof answer.data === 'string' ? answer.data : '',
        location: typeof location === 'string' ? location : undefined,
      };
    } catch (error) {
      throw toRequestFailure(error);
    }
  }

  #resolved(location: string, from: string): string {
    try {
      return new URL(location, from).href;
    } catch (error) {
      throw toRequestFailure(error);
    }
  }
}

/** Tells the kind of failure and never the address, which can hold a code. */
function toRequestFailure(error: unknown): OutboundRequestFailed {
  if (error instanceof OutboundRequestFailed) return error;
  const cause = error instanceof AxiosError ? error.cause : error;
  if (cause instanceof AddressNotAllowed) return new OutboundRequestFailed(cause.message);
  if (error instanceof AxiosError) return new OutboundRequestFailed(error.code ?? 'the connection failed');
  return new OutboundRequestFailed(error instanceof TypeError ? 'the address cannot be read' : 'the connection failed');
}
