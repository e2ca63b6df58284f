import type { HealthSystemEndpoint } from '@tributary/contracts';
import type { OutboundHttp } from '../outbound/outbound-http';
import type { AuthorizationServer } from './authorization-server';
import { DiscoveryFailed, discover } from './discovery';

export { DiscoveryFailed };

interface Entry {
  server: Promise<AuthorizationServer>;
  /** In epoch milliseconds. */
  until: number;
}

export interface DiscoveryTimes {
  /** How long a discovery may take in all, in milliseconds. */
  deadlineMs: number;
  /** How long one is used. */
  keptMs: number;
  /** How long a failed one is not tried again. */
  failureKeptMs: number;
}

const ordinaryTimes: DiscoveryTimes = { deadlineMs: 10_000, keptMs: 3_600_000, failureKeptMs: 15_000 };
const maxEntries = 5000;

/** The authorization servers of FHIR endpoints, each looked up once an hour; who asks at the same time shares one look-up. */
export class DiscoveryCache {
  readonly #kept = new Map<string, Entry>();
  readonly #times: DiscoveryTimes;

  constructor(
    private readonly http: OutboundHttp,
    times: Partial<DiscoveryTimes> = {},
  ) {
    this.#times = { ...ordinaryTimes, ...times };
  }

  /**
   * The authorization server, at whose addresses browsers and requests may be sent.
   * @throws DiscoveryFailed, or OutboundRequestFailed when an address must not be called
   */
  find({ fhirVersion, fhir_base_url }: HealthSystemEndpoint): Promise<AuthorizationServer> {
    const key = `${fhirVersion} ${fhir_base_url}`;
    const kept = this.#kept.get(key);
    if (kept && kept.until > Date.now()) return kept.server;
    this.#kept.delete(key);
    const server = this.#discover({ fhirVersion, fhir_base_url });
    const entry = { server, until: Date.now() + this.#times.keptMs };
    this.#kept.set(key, entry);
    server.catch(() => (entry.until = Date.now() + this.#times.failureKeptMs));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxEntries && oldest !== undefined) this.#kept.delete(oldest);
    return server;
  }

  async #discover(endpoint: HealthSystemEndpoint): Promise<AuthorizationServer> {
    const signal = AbortSignal.timeout(this.#times.deadlineMs);
    const late = new Promise<never>((_resolve, reject) =>
      signal.addEventListener('abort', () => reject(new DiscoveryFailed('it took too long')), { once: true }),
    );
    return Promise.race([this.#safe(endpoint, signal), late]);
  }

  async #safe(endpoint: HealthSystemEndpoint, signal: AbortSignal): Promise<AuthorizationServer> {
    const server = await discover(this.http, endpoint, signal);
    await Promise.all([
      this.http.refuseUnsafe(server.authorizationEndpoint),
      this.http.refuseUnsafe(server.tokenEndpoint),
    ]);
    return server;
  }
}
