import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** How long a replica that refused a connection, and one that did not respond in time, is tried after all others. */
const avoidAfterRefusalMs = 1_000;
const avoidAfterSilenceMs = 10_000;
/**
 * A replica with a request that has waited for longer than this, and with no response to any request since, may hang.
 */
export const suspiciousSilenceMs = 3_000;

/** How the replicas of a service are reached over TLS. */
export interface UpstreamTls {
  /** The name in the certificate of the service. */
  servername: string;
  /** The certificate of the authority, in PEM. */
  authority: string;
}

/** A replica of a service with its passive health check. Times are of `performance.now()`. */
export class Replica {
  readonly hostname: string;
  readonly port: number;
  #avoidedUntil = 0;
  #lastResponse = 0;
  readonly #pending = new Set<{ since: number }>();

  constructor(origin: string) {
    const url = new URL(origin);
    this.hostname = url.hostname;
    this.port = Number(url.port);
  }

  /** Whether another replica is the better choice. */
  isAvoided(now: number): boolean {
    if (now < this.#avoidedUntil) return true;
    const [oldest] = this.#pending;
    return oldest !== undefined && now - Math.max(oldest.since, this.#lastResponse) > suspiciousSilenceMs;
  }

  /** Registers a request. The caller calls the returned function with the outcome when the request has ended. */
  sent(now: number): (how: 'responded' | 'refused' | 'silent' | 'abandoned', at: number) => void {
    const request = { since: now };
    this.#pending.add(request);
    return (how, at) => {
      if (!this.#pending.delete(request)) return;
      if (how === 'responded') {
        this.#lastResponse = at;
        this.#avoidedUntil = 0;
      } else if (how !== 'abandoned') {
        this.#avoidedUntil = at + (how === 'refused' ? avoidAfterRefusalMs : avoidAfterSilenceMs);
      }
    };
  }
}

/** All replicas of a service. */
export class Upstream {
  /** Reused for all requests to the service. */
  readonly agent: HttpAgent | HttpsAgent;
  readonly #replicas: readonly Replica[];
  #next = 0;

  /**
   * @param origins one or more, such as `http://127.0.0.1:4011`
   * @param errorFormat how the gateway reports that no replica responds
   * @param tls for https origins
   */
  constructor(
    origins: readonly string[],
    readonly errorFormat: 'fhir' | 'json',
    readonly tls?: UpstreamTls,
  ) {
    if (origins.length === 0) throw new Error('a service needs at least one replica');
    const options = { keepAlive: true, maxFreeSockets: 64 };
    this.agent = tls
      ? new HttpsAgent({ ...options, ca: tls.authority, servername: tls.servername, minVersion: 'TLSv1.2' })
      : new HttpAgent(options);
    this.#replicas = origins.map((origin) => new Replica(origin));
  }

  /** The replicas in the order in which one request tries them: round robin, avoided ones last. */
  candidates(now: number): Replica[] {
    const first = this.#next++ % this.#replicas.length;
    const rotated = [...this.#replicas.slice(first), ...this.#replicas.slice(0, first)];
    return [
      ...rotated.filter((replica) => !replica.isAvoided(now)),
      ...rotated.filter((replica) => replica.isAvoided(now)),
    ];
  }
}
