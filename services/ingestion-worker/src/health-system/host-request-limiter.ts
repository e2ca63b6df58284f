import { type Demand, HostConcurrencyLease } from './host-concurrency-lease';
import type { HostLeaseStore } from './host-lease-store';

export interface RequestCaps {
  /** Requests in progress at one host, of all workers together. */
  perHost: number;
  /** Requests in progress at all hosts together, of one worker. */
  overall: number;
}

interface Host {
  running: number;
  /** How many requests the host tolerates: halved when it throttles, raised again as it responds. */
  cap: number;
  /** Successful responses since the cap was changed last. */
  responses: number;
  /**
   * Waiting requests by connection. The first connection is served next; within a connection the order is first in,
   * first out.
   */
  waiting: Map<string, (() => void)[]>;
  waitingCount: number;
  /** Requests of each connection, waiting or in progress. */
  connections: Map<string, number>;
  /** This worker's share of the cap; undefined when the limiter has no lease store. */
  lease: HostConcurrencyLease | undefined;
}

/** Successful responses after which a lowered cap is raised by one. */
const responsesPerStep = 10;
/** How often leases are renewed and adjusted to the demand. */
const heartbeatMs = 500;

/**
 * Limits the requests to health systems: per host over all workers, and in total in this process. Hosts are served
 * round-robin, and so are the connections of a host, so that a large record does not starve a small one and a slow host
 * does not starve a fast one.
 *
 * No library does this: queues with fairness over two levels (host, connection), an adaptive cap and a lease shared
 * over processes.
 */
export class HostRequestLimiter {
  /** In the order in which hosts are served. */
  readonly #hosts = new Map<string, Host>();
  readonly #heartbeat: NodeJS.Timeout | undefined;
  #running = 0;

  /** @param leaseStore divides the caps among workers; without it this worker has the whole caps */
  constructor(
    private readonly caps: RequestCaps,
    private readonly leaseStore?: HostLeaseStore,
  ) {
    if (leaseStore) this.#heartbeat = setInterval(() => void this.#renewLeases(), heartbeatMs).unref();
  }

  /**
   * Runs a request when the host may have one more. The wait has no time limit: only the signal ends it. Once started,
   * the request ends by its own time limits; the signal must be passed to it as well.
   * @throws the reason of the signal when it is aborted before the request starts; otherwise what the request throws
   */
  async run<T>(hostName: string, connection: string, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    const host = await this.#enter(hostName, connection, signal);
    try {
      return await request();
    } finally {
      host.running--;
      this.#running--;
      this.#forgetRequest(hostName, host, connection);
      this.#admit();
    }
  }

  /** The host has responded with 429 or 503: halves its cap. */
  reportThrottled(hostName: string): void {
    const host = this.#host(hostName);
    host.cap = Math.max(1, Math.floor(Math.min(host.cap, host.lease?.cap ?? host.cap) / 2));
    host.responses = 0;
    host.lease?.halve();
  }

  /** The host has responded successfully: raises a lowered cap step by step. */
  reportSuccess(hostName: string): void {
    const host = this.#hosts.get(hostName);
    if (!host || host.cap === this.caps.perHost || ++host.responses < responsesPerStep) return;
    host.responses = 0;
    host.cap++;
    this.#admit();
  }

  /** Releases all leases. Nothing may be run afterwards. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    await Promise.all([...this.#hosts.values()].map(({ lease, cap }) => lease?.release(cap)));
  }

  #enter(hostName: string, connection: string, signal: AbortSignal): Promise<Host> {
    signal.throwIfAborted();
    const host = this.#host(hostName);
    return new Promise((resolve, reject) => {
      const queue = host.waiting.get(connection) ?? [];
      host.waiting.set(connection, queue);
      const start = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(host);
      };
      const onAbort = (): void => {
        queue.splice(queue.indexOf(start), 1);
        if (queue.length === 0) host.waiting.delete(connection);
        host.waitingCount--;
        this.#forgetRequest(hostName, host, connection);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.push(start);
      host.waitingCount++;
      host.connections.set(connection, (host.connections.get(connection) ?? 0) + 1);
      this.#admit();
    });
  }

  /** A request is over, or no longer waits. */
  #forgetRequest(hostName: string, host: Host, connection: string): void {
    const rest = (host.connections.get(connection) ?? 1) - 1;
    if (rest > 0) host.connections.set(connection, rest);
    else host.connections.delete(connection);
    host.lease?.requestEnded(this.#demandOf(host));
    this.#forgetIdleHost(hostName, host);
  }

  /**
   * Starts every request that may start now. A host that starts one is moved to the end of the map; the loop reaches it
   * again, as a Map iterates over entries that are added during the iteration.
   */
  #admit(): void {
    for (const [name, host] of this.#hosts) {
      if (this.#running >= this.caps.overall) return;
      if (host.running >= host.cap || host.waitingCount === 0) continue;
      if (host.lease && host.running >= host.lease.allowed(host.cap)) {
        host.lease.request(this.#demandOf(host));
        continue;
      }
      this.#startNext(host);
      this.#hosts.delete(name);
      this.#hosts.set(name, host);
    }
  }

  #startNext(host: Host): void {
    const [[connection, queue] = ['', []]] = host.waiting;
    const start = queue.shift();
    host.waiting.delete(connection);
    if (queue.length > 0) host.waiting.set(connection, queue);
    host.waitingCount--;
    host.running++;
    this.#running++;
    start?.();
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    const lease = this.leaseStore && new HostConcurrencyLease(this.leaseStore, name, () => this.#admit());
    const host = {
      running: 0,
      cap: this.caps.perHost,
      responses: 0,
      waiting: new Map<string, (() => void)[]>(),
      waitingCount: 0,
      connections: new Map<string, number>(),
      lease,
    };
    this.#hosts.set(name, host);
    return host;
  }

  #demandOf({ running, waitingCount, connections, cap }: Host): Demand {
    return { running, wanted: running + waitingCount, connections: connections.size, cap };
  }

  /** Renewing an idle host releases its lease; then the host is forgotten, once its cap is back at the limit. */
  async #renewLeases(): Promise<void> {
    const hosts = [...this.#hosts];
    await Promise.all(hosts.map(([, host]) => host.lease?.renew(this.#demandOf(host))));
    for (const [name, host] of hosts) this.#forgetIdleHost(name, host);
  }

  #forgetIdleHost(name: string, { running, waitingCount, cap, lease }: Host): void {
    if (running === 0 && waitingCount === 0 && cap === this.caps.perHost && !lease?.isHeld) this.#hosts.delete(name);
  }
}
