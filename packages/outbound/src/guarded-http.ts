import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, type AgentOptions, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { type SecureContextOptions, createSecureContext } from 'node:tls';
import { promisify } from 'node:util';
import {
  AddressNotAllowed,
  type AddressRule,
  assertPublicUrl,
  hostOf,
  isPublicAddress,
  publicLookup,
} from './public-address';
import { OutboundRequestFailed, cancelled, timedOut, toFailure } from './request-failed';
import { decodedBody } from './response-body';

export interface GuardedHttpOptions {
  /** Allows http and all addresses: for the sandbox, and for the suite's own APIs. */
  allowPrivateAddresses: boolean;
  /** `Tributary` by default. */
  userAgent?: string;
  /** Keeps connections open for further requests. Without it each request has a connection of its own. */
  keepAlive?: { maxSockets: number; maxFreeSockets: number };
  /** The addresses that count as public; the globally routable ones by default. */
  isPublicAddress?: AddressRule;
  /** The certificate authorities that are trusted, in PEM; those of Node.js by default. */
  ca?: NonNullable<SecureContextOptions['ca']>;
}

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** How many redirects are followed: none by default, and only those of GET. */
  redirects?: number;
  /** The time limit from connecting to the end of the response, over all redirects, in milliseconds. */
  totalMs: number;
  /** How long nothing may arrive, in milliseconds: also the wait for the first byte. `totalMs` by default. */
  idleMs?: number;
  /** The size of the body of the response, as it is sent and as it is decoded. */
  maxBytes: number;
  /** How many times larger than the sent body the decoded one may be, beyond one MiB: 200 by default. */
  maxExpansion?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface OutboundResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body as UTF-8, without a byte order mark. */
  text: string;
}

export interface OutboundStream {
  status: number;
  headers: IncomingHttpHeaders;
  /** Fails with `OutboundRequestFailed`. It must be read to its end or destroyed. */
  body: Readable;
}

/** What a redirect to another origin carries on: no credentials. */
const harmlessHeaders = new Set(['accept', 'accept-encoding', 'if-modified-since', 'if-none-match', 'user-agent']);

/**
 * The HTTP client for requests to other organisations. Only https and public addresses are allowed, which is checked on
 * the resolved address of each connection, also after a redirect, so that DNS rebinding cannot bypass it. TLS is 1.2 or
 * later. Time and size are limited, before and after decoding. There are no cookies, no proxy and no retries. A
 * response of any status is returned.
 */
export class GuardedHttp {
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;
  readonly #isPublic: AddressRule;

  constructor(private readonly options: GuardedHttpOptions) {
    this.#isPublic = options.isPublicAddress ?? isPublicAddress;
    // Node's types declare `lookup` for requests only, but an agent passes it on.
    const agentOptions = {
      keepAlive: options.keepAlive !== undefined,
      ...options.keepAlive,
      ...(options.allowPrivateAddresses ? {} : { lookup: publicLookup(this.#isPublic) }),
    } as AgentOptions;
    this.#http = new HttpAgent(agentOptions);
    const minVersion = 'TLSv1.2';
    this.#https = new HttpsAgent({
      ...agentOptions,
      minVersion,
      // Without a context of its own, each connection would parse the authorities again.
      ...(options.ca === undefined ? {} : { secureContext: createSecureContext({ minVersion, ca: options.ca }) }),
    });
  }

  /**
   * Sends a request and reads the whole response.
   * @throws OutboundRequestFailed
   */
  async request(request: OutboundRequest): Promise<OutboundResponse> {
    const { status, headers, body } = await this.stream(request);
    const parts: Buffer[] = [];
    for await (const part of body as AsyncIterable<Buffer>) parts.push(part);
    return { status, headers, text: new TextDecoder().decode(Buffer.concat(parts)) };
  }

  /**
   * Sends a request; the body of the response is read by the caller.
   * @throws OutboundRequestFailed
   */
  async stream(request: OutboundRequest): Promise<OutboundStream> {
    const { method, redirects = 0, totalMs, idleMs = totalMs, maxBytes, maxExpansion, signal } = request;
    const deadline = performance.now() + totalMs;
    let headers: Record<string, string> = {
      'Accept-Encoding': 'gzip, deflate, br',
      'User-Agent': this.options.userAgent ?? 'Tributary',
      ...request.headers,
    };
    let url = parseUrl(request.url);
    for (let followed = 0; ; followed++) {
      const response = await this.#send(url, { ...request, headers }, { deadline, idleMs });
      const { statusCode: status = 0 } = response;
      const { location } = response.headers;
      const isFollowed = redirects > 0 && method === 'GET' && [301, 302, 303, 307, 308].includes(status);
      if (!isFollowed || location === undefined) {
        const body = decodedBody(response, method, { deadline, idleMs, maxBytes, maxExpansion, signal });
        return { status, headers: response.headers, body };
      }
      response.destroy();
      if (followed === redirects) throw new OutboundRequestFailed('too many redirects');
      const target = parseUrl(location, url);
      if (target.origin !== url.origin)
        headers = Object.fromEntries(
          Object.entries(headers).filter(([name]) => harmlessHeaders.has(name.toLowerCase())),
        );
      url = target;
    }
  }

  /**
   * Checks an address that is stored or that a browser is sent to, as a request would check it now.
   * @throws OutboundRequestFailed when it must not be called, or its name does not resolve
   */
  async assertAllowed(address: string): Promise<void> {
    try {
      const url = parseUrl(address);
      this.#assertAllowed(url);
      if (this.options.allowPrivateAddresses) return;
      await promisify(publicLookup(this.#isPublic))(hostOf(url), { all: true });
    } catch (error) {
      throw toFailure(error);
    }
  }

  #assertAllowed(url: URL): void {
    if (!/^https?:$/.test(url.protocol)) throw new AddressNotAllowed('it is not an http(s) URL');
    if (url.username || url.password) throw new AddressNotAllowed('it holds credentials');
    if (!this.options.allowPrivateAddresses) assertPublicUrl(url, this.#isPublic);
  }

  /** One request. Resolves with the head of the response. @throws OutboundRequestFailed */
  #send(
    url: URL,
    { method, headers, body, signal }: OutboundRequest,
    { deadline, idleMs }: { deadline: number; idleMs: number },
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) throw cancelled();
      this.#assertAllowed(url);
      const isSecure = url.protocol === 'https:';
      const outgoing = (isSecure ? httpsRequest : httpRequest)(url, {
        method,
        agent: isSecure ? this.#https : this.#http,
        headers: { ...headers, ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }) },
      });
      const end = (failure: Error): unknown => outgoing.destroy(failure);
      const waitMs = Math.min(idleMs, Math.max(0, deadline - performance.now()));
      const timer = setTimeout(() => end(timedOut()), waitMs);
      const cancel = (): unknown => end(cancelled());
      signal?.addEventListener('abort', cancel, { once: true });
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
      };
      outgoing.once('response', (response) => {
        settle();
        resolve(response);
      });
      outgoing.on('error', (error) => {
        settle();
        reject(toFailure(error));
      });
      outgoing.end(body);
    }).catch((error: unknown) => {
      throw toFailure(error);
    }) as Promise<IncomingMessage>;
  }
}

/** @throws OutboundRequestFailed */
function parseUrl(address: string, base?: URL): URL {
  try {
    return new URL(address, base);
  } catch (error) {
    throw toFailure(error);
  }
}
