import type { Claim, HostLeaseStore } from './host-lease-store';

/** What a worker has to do at a host now. */
export type Demand = Pick<Claim, 'running' | 'wanted' | 'connections' | 'cap'>;

/**
 * This worker's share of the requests that one host tolerates from all workers. A share is claimed when there is more
 * to do than it allows, adjusted and renewed by `renew`, and released when there is nothing to do. While Redis is
 * unavailable and the lease has expired, the share is the cap divided by the number of workers that the last claim
 * found.
 */
export class HostConcurrencyLease {
  #granted = 0;
  /** Epoch milliseconds. */
  #expiresAt = 0;
  /** What the other workers see of this one: the last claim that succeeded. */
  #lastClaim = { held: 0, wanted: 0 };
  /** Requests in progress at the start of a claim that has no response yet. */
  #pendingClaim: number | undefined;
  /** Whether the first claim has succeeded or failed. */
  #isInitialized = false;
  #redisDown = false;
  #workers = 1;
  #cap = Infinity;
  /** The largest demand since the last claim. */
  #peakDemand = 0;
  /**
   * Redis has lost its data: until then, in epoch milliseconds, the share does not grow, as other workers have still to
   * claim theirs again.
   */
  #holdUntil = 0;

  /** @param onChange called after each claim, when more requests may be allowed than before */
  constructor(
    private readonly store: HostLeaseStore,
    private readonly host: string,
    private readonly onChange: () => void,
  ) {}

  /** The lowest cap on requests to the host of all workers, as of the last claim; infinite before the first claim. */
  get cap(): number {
    return this.#cap;
  }

  /** How many requests may be in progress. While a claim is pending, no more than it has declared. */
  allowed(cap: number): number {
    return Math.min(this.#share(cap), this.#pendingClaim ?? Infinity);
  }

  /** Claims a larger share, unless one is being claimed or was refused since the last heartbeat. */
  request(demand: Demand): void {
    this.#peakDemand = Math.max(this.#peakDemand, demand.wanted);
    if (this.#pendingClaim !== undefined) return;
    if (!this.#isInitialized || Math.min(demand.wanted, demand.cap) > this.#lastClaim.wanted) void this.#claim(demand);
  }

  /** A request has ended: gives back at once what exceeds the granted share. */
  requestEnded(demand: Demand): void {
    const isExcess = this.#lastClaim.held > this.#granted && demand.running < this.#lastClaim.held && this.#isLeased();
    if (isExcess && this.#pendingClaim === undefined) void this.#claim(demand);
  }

  /** The host has throttled: halves the share until the next claim. */
  halve(): void {
    this.#granted = Math.ceil(this.#granted / 2);
  }

  /** Whether Redis may still have a claim of this worker, so that the host must be kept. */
  get isHeld(): boolean {
    const { held, wanted } = this.#lastClaim;
    return (
      this.#pendingClaim !== undefined ||
      this.#redisDown ||
      Date.now() < this.#holdUntil ||
      (this.#isLeased() && held + wanted > 0)
    );
  }

  /** Renews the lease, for the largest demand since the last claim. */
  async renew(demand: Demand): Promise<void> {
    if (this.#pendingClaim === undefined && (demand.wanted > 0 || this.isHeld)) await this.#claim(demand);
  }

  /** Releases the lease when the worker stops. */
  async release(cap: number): Promise<void> {
    this.#peakDemand = 0;
    if (this.isHeld) await this.#claim({ running: 0, wanted: 0, connections: 0, cap });
  }

  async #claim({ running, wanted, connections, cap }: Demand): Promise<void> {
    const share = this.#isInitialized ? this.#share(cap) : 0;
    const demand = Math.min(Math.max(this.#peakDemand, wanted), cap);
    const claimed = Date.now() < this.#holdUntil ? Math.min(demand, Math.max(share, 1)) : demand;
    const claimedAt = Date.now();
    this.#peakDemand = wanted;
    this.#pendingClaim = running;
    try {
      const lease = await this.store.claim(this.host, { running, wanted: claimed, connections, cap, held: share });
      // Redis has lost the previous claims, those of the other workers too: the share must not grow before they have
      // claimed again.
      if (!lease.isKnown && share > 0) this.#holdUntil = claimedAt + this.store.leaseMs;
      this.#redisDown = false;
      this.#granted = lease.requests;
      this.#expiresAt = claimedAt + this.store.leaseMs;
      this.#lastClaim = { held: Math.max(running, lease.requests), wanted: demand };
      this.#workers = Math.max(1, lease.workers);
      this.#cap = lease.cap;
    } catch {
      // The next claim waits for the heartbeat. This one may have taken effect in Redis, and the rest may have gone to
      // other workers: until then the share must not exceed what is running.
      this.#lastClaim.wanted = Infinity;
      this.#granted = Math.min(this.#granted, Math.max(1, running));
      this.#redisDown = true;
    } finally {
      this.#isInitialized = true;
      this.#pendingClaim = undefined;
      this.onChange();
    }
  }

  #share(cap: number): number {
    if (!this.#isInitialized) return 0;
    return this.#isLeased() ? this.#granted : Math.max(1, Math.floor(cap / this.#workers));
  }

  #isLeased(): boolean {
    return Date.now() < this.#expiresAt;
  }
}
