import type { HealthSystemEndpoint } from '@tributary/contracts';
import { LRUCache } from 'lru-cache';
import type { OutboundHttp } from '../outbound/outbound-http';
import type { AuthorizationServer } from './authorization-server';
import { DiscoveryFailed, discover } from './discovery';

/** How long a discovery may take over all requests, and results and failures are cached, in milliseconds. */
const defaultTimes = { deadlineMs: 10_000, ttlMs: 3_600_000, failureTtlMs: 15_000 };
const maxEntries = 5000;

/**
 * Caches the authorization servers of FHIR endpoints for an hour. Concurrent look-ups of an endpoint share one
 * discovery.
 */
export class DiscoveryCache {
  readonly #servers = new LRUCache<string, Promise<AuthorizationServer>>({ max: maxEntries });
  readonly #times: typeof defaultTimes;

  constructor(
    private readonly http: OutboundHttp,
    times: Partial<typeof defaultTimes> = {},
  ) {
    this.#times = { ...defaultTimes, ...times };
  }

  /**
   * The authorization server of a FHIR endpoint; its endpoints are safe to call and to redirect to.
   * @throws DiscoveryFailed, or OutboundRequestFailed when one of its endpoints has a forbidden address
   */
  find({ fhirVersion, fhir_base_url }: HealthSystemEndpoint): Promise<AuthorizationServer> {
    const key = `${fhirVersion} ${fhir_base_url}`;
    const cached = this.#servers.get(key);
    if (cached) return cached;
    const server = this.#discoverInTime({ fhirVersion, fhir_base_url });
    this.#set(key, server, this.#times.ttlMs);
    server.catch(() => this.#set(key, server, this.#times.failureTtlMs));
    return server;
  }

  #set(key: string, server: Promise<AuthorizationServer>, ttl: number): void {
    if (ttl > 0) this.#servers.set(key, server, { ttl });
    else this.#servers.delete(key);
  }

  async #discoverInTime(endpoint: HealthSystemEndpoint): Promise<AuthorizationServer> {
    const signal = AbortSignal.timeout(this.#times.deadlineMs);
    const timedOut = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new DiscoveryFailed('it took too long')), { once: true }),
    );
    return Promise.race([this.#discoverSafe(endpoint, signal), timedOut]);
  }

  async #discoverSafe(endpoint: HealthSystemEndpoint, signal: AbortSignal): Promise<AuthorizationServer> {
    const server = await discover(this.http, endpoint, signal);
    await Promise.all([
      this.http.assertSafeUrl(server.authorizationEndpoint),
      this.http.assertSafeUrl(server.tokenEndpoint),
    ]);
    return server;
  }
}
