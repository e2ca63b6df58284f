import { outboundAgents, assertPublicUrl } from '@tributary/public-addresses';
import axios, { type AxiosInstance } from 'axios';
import { AssertionRefused } from './assertion-refused';
import { type VerificationKey, verificationKeys } from './key-set';

interface KnownKeySet {
  keys: VerificationKey[];
  freshUntil: number;
  /** When a key was last looked for here in vain. */
  missedAt: number;
}

const timeoutMs = 5000;
const mostBytes = 256 * 1024;
const freshForMs = 5 * 60_000;
const longestFreshMs = 60 * 60_000;
/** Assertions with made-up kids must not make this service call the client's address each time. */
const missPauseMs = 10_000;

/**
 * The key sets at the JWKS URLs of clients: https and public addresses only, no redirects, at most 5 s and 256 KB. Remembered as long
 * as their Cache-Control allows, an hour at most; a kid that is not there is looked for once more, as keys are rotated.
 */
export class KeySetAddresses {
  /** One for each address that an operator registered. */
  readonly #known = new Map<string, KnownKeySet>();
  readonly #underWay = new Map<string, Promise<KnownKeySet>>();
  readonly #http: AxiosInstance;

  constructor(
    private readonly options: {
      /** lets http and private addresses through (sandbox) */ allowPrivateAddresses: boolean;
    },
  ) {
    this.#http = axios.create({
      ...outboundAgents(options),
      timeout: timeoutMs,
      maxRedirects: 0,
      maxContentLength: mostBytes,
      proxy: false,
      responseType: 'text',
      transformResponse: (body: unknown) => body,
      headers: { Accept: 'application/json' },
    });
  }

  /**
   * The keys of the set, known or fetched.
   * @param kid fetched again when the known set lacks it
   * @throws AssertionRefused when they cannot be fetched
   */
  async keysAt(url: string, kid: string): Promise<VerificationKey[]> {
    const known = this.#known.get(url);
    if (!known || known.freshUntil <= Date.now()) return (await this.#fetch(url)).keys;
    if (has(known, kid) || Date.now() - known.missedAt < missPauseMs) return known.keys;
    const anew = await this.#fetch(url);
    if (!has(anew, kid)) anew.missedAt = Date.now();
    return anew.keys;
  }

  /** Those who ask at the same moment share one call. */
  #fetch(url: string): Promise<KnownKeySet> {
    const underWay = this.#underWay.get(url) ?? this.#fetchAlone(url).finally(() => this.#underWay.delete(url));
    this.#underWay.set(url, underWay);
    return underWay;
  }

  async #fetchAlone(url: string): Promise<KnownKeySet> {
    try {
      if (!this.options.allowPrivateAddresses) assertPublicUrl(new URL(url));
      const { data, headers } = await this.#http.get<string>(url, { signal: AbortSignal.timeout(timeoutMs) });
      const fetched = {
        keys: verificationKeys(JSON.parse(data)),
        freshUntil: Date.now() + freshFor(headers['cache-control']),
        missedAt: 0,
      };
      this.#known.set(url, fetched);
      return fetched;
    } catch {
      throw new AssertionRefused('the keys of the client cannot be fetched from its JWKS URL');
    }
  }
}

function has({ keys }: KnownKeySet, kid: string): boolean {
  return keys.some((key) => key.kid === kid);
}

function freshFor(cacheControl: unknown): number {
  const directives = String(cacheControl ?? '').toLowerCase();
  if (/\bno-(store|cache)\b/.test(directives)) return 0;
  const seconds = /\bmax-age=(\d+)/.exec(directives)?.[1];
  return seconds === undefined ? freshForMs : Math.min(Number(seconds) * 1000, longestFreshMs);
}
