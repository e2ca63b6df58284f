import type { Claim, HostLeases } from './host-leases';

/** What a worker has to do at a host now. */
export type Demand = Pick<Claim, 'running' | 'wanted' | 'connections' | 'cap'>;

/**
 * This worker's part of the requests that a host bears of all workers. It is asked for when there is more to do than it allows, renewed and made smaller by
 * the beat of `renew`, and given back when there is nothing to do. While leases cannot be had the cap is divided by the workers that were last there.
 */
export class HostShare {
  #granted = 0;
  #grantedUntil = 0;
  #told = { held: 0, wanted: 0 };
  /** Requests under way when the claim was made that is not answered yet. */
  #claimed: number | undefined;
  #isDecided = false;
  /** The last claim was not answered. */
  #isAway = false;
  #workers = 1;
  #cap = Infinity;
  #most = 0;
  #growsFrom = 0;

  constructor(
    private readonly leases: HostLeases,
    private readonly host: string,
    /** Called when more may be allowed than before. */
    private readonly changed: () => void,
  ) {}

  /** What the host bears, as far as any worker has found out. */
  get cap(): number {
    return this.#cap;
  }

  /** How many requests may be under way. While a claim is not answered there are no more than it told of. */
  allowed(cap: number): number {
    return Math.min(this.#limit(cap), this.#claimed ?? Infinity);
  }

  /** There is more to do than is allowed: asks for more, unless that was asked already. */
  ask(demand: Demand): void {
    this.#most = Math.max(this.#most, demand.wanted);
    if (this.#claimed !== undefined) return;
    if (!this.#isDecided || Math.min(demand.wanted, demand.cap) > this.#told.wanted) void this.#claim(demand);
  }

  /** A request has ended: what is no longer allowed is given back at once. */
  ended(demand: Demand): void {
    const isOver = this.#told.held > this.#granted && demand.running < this.#told.held && this.#isLeased();
    if (isOver && this.#claimed === undefined) void this.#claim(demand);
  }

  /** The host wants less at once. */
  halve(): void {
    this.#granted = Math.ceil(this.#granted / 2);
  }

  /** Whether other workers know of this one here, or may do so again. */
  get isHeld(): boolean {
    const { held, wanted } = this.#told;
    return (
      this.#claimed !== undefined ||
      this.#isAway ||
      Date.now() < this.#growsFrom ||
      (this.#isLeased() && held + wanted > 0)
    );
  }

  /** Renews the lease for as much as was needed since the last time. */
  async renew(demand: Demand): Promise<void> {
    if (this.#claimed === undefined && (demand.wanted > 0 || this.isHeld)) await this.#claim(demand);
  }

  /** Nothing is done here any more. */
  async giveBack(cap: number): Promise<void> {
    this.#most = 0;
    if (this.isHeld) await this.#claim({ running: 0, wanted: 0, connections: 0, cap });
  }

  async #claim({ running, wanted, connections, cap }: Demand): Promise<void> {
    const limit = this.#isDecided ? this.#limit(cap) : 0;
    const most = Math.min(Math.max(this.#most, wanted), cap);
    const asked = Date.now() < this.#growsFrom ? Math.min(most, Math.max(limit, 1)) : most;
    const askedAt = Date.now();
    this.#most = wanted;
    this.#claimed = running;
    try {
      const lease = await this.leases.claim(this.host, { running, wanted: asked, connections, cap, held: limit });
      // Who else was there has to be found out again, as they do too.
      if (!lease.isKnown && limit > 0) this.#growsFrom = askedAt + this.leases.lastsMs;
      this.#isAway = false;
      this.#granted = lease.requests;
      this.#grantedUntil = askedAt + this.leases.lastsMs;
      this.#told = { held: Math.max(running, lease.requests), wanted: most };
      this.#workers = Math.max(1, lease.workers);
      this.#cap = lease.cap;
    } catch {
      // Asked again at the next beat only. What was told may have been heard all the same, and the rest be given to others.
      this.#told.wanted = Infinity;
      this.#granted = Math.min(this.#granted, Math.max(1, running));
      this.#isAway = true;
    } finally {
      this.#isDecided = true;
      this.#claimed = undefined;
      this.changed();
    }
  }

  #limit(cap: number): number {
    if (!this.#isDecided) return 0;
    return this.#isLeased() ? this.#granted : Math.max(1, Math.floor(cap / this.#workers));
  }

  #isLeased(): boolean {
    return Date.now() < this.#grantedUntil;
  }
}
