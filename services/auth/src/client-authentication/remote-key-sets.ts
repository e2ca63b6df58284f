import { GuardedHttp } from '@tributary/outbound';
import { type VerificationKeys, verificationKeys } from './key-set';

/** The key set at a JWKS URL could not be fetched or read. */
export class RemoteKeySetError extends Error {
  constructor() {
    super('the keys of the client cannot be fetched from its JWKS URL');
    this.name = 'RemoteKeySetError';
  }
}

interface CachedKeySet {
  keys: VerificationKeys;
  /** Epoch milliseconds. */
  freshUntil: number;
  /** When a kid was last not found in the set, in epoch milliseconds. */
  missedAt: number;
}

const timeoutMs = 5000;
const maxBytes = 256 * 1024;
const defaultMaxAgeMs = 5 * 60_000;
const maxAgeLimitMs = 60 * 60_000;
/** Limits the requests that assertions with made-up kids cause. */
const missCooldownMs = 10_000;

/**
 * Fetches and caches the key sets at the JWKS URLs of clients.
 *
 * Fetching is safe against SSRF: https to public addresses only, no redirects, at most 5 s and 256 KB. A set is cached
 * as long as its `Cache-Control` allows, at most an hour. A kid that is not in the cached set is looked for by one more
 * request, because clients rotate their keys.
 *
 * `createRemoteJWKSet` of jose is not used: it ignores `Cache-Control`, and its cooldown begins with every request, so
 * a client that rotates its key twice within the cooldown is locked out. Here the cooldown begins with a kid that is
 * not found.
 */
export class RemoteKeySets {
  /** By URL; only registered URLs are fetched, so the cache is bounded. */
  readonly #cache = new Map<string, CachedKeySet>();
  readonly #pending = new Map<string, Promise<CachedKeySet>>();
  readonly #http: GuardedHttp;

  /** @param options `allowPrivateAddresses` allows http and private addresses; for the sandbox */
  constructor(options: { allowPrivateAddresses: boolean }) {
    this.#http = new GuardedHttp(options);
  }

  /**
   * Returns the keys at the URL, from the cache if it is fresh and contains the kid.
   * @throws RemoteKeySetError
   */
  async get(url: string, kid: string): Promise<VerificationKeys> {
    const cached = this.#cache.get(url);
    if (!cached || cached.freshUntil <= Date.now()) return (await this.#fetch(url)).keys;
    if (cached.keys.kids.has(kid) || Date.now() - cached.missedAt < missCooldownMs) return cached.keys;
    const fetched = await this.#fetch(url);
    if (!fetched.keys.kids.has(kid)) fetched.missedAt = Date.now();
    return fetched.keys;
  }

  /** Concurrent calls for one URL share one request. */
  #fetch(url: string): Promise<CachedKeySet> {
    const pending = this.#pending.get(url) ?? this.#request(url).finally(() => this.#pending.delete(url));
    this.#pending.set(url, pending);
    return pending;
  }

  async #request(url: string): Promise<CachedKeySet> {
    try {
      const { status, headers, text } = await this.#http.request({
        method: 'GET',
        url,
        headers: { Accept: 'application/json' },
        totalMs: timeoutMs,
        maxBytes,
      });
      if (status < 200 || status > 299) throw new RemoteKeySetError();
      const fetched = {
        keys: verificationKeys(JSON.parse(text)),
        freshUntil: Date.now() + maxAgeMs(headers['cache-control']),
        missedAt: 0,
      };
      this.#cache.set(url, fetched);
      return fetched;
    } catch {
      throw new RemoteKeySetError();
    }
  }
}

function maxAgeMs(cacheControl = ''): number {
  const directives = cacheControl.toLowerCase();
  if (/\bno-(store|cache)\b/.test(directives)) return 0;
  const seconds = /\bmax-age=(\d+)/.exec(directives)?.[1];
  return seconds === undefined ? defaultMaxAgeMs : Math.min(Number(seconds) * 1000, maxAgeLimitMs);
}
