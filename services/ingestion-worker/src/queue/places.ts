/** A collection that wants a place. */
export interface Applicant {
  id: string;
  /** When it was queued, in ms since 1970. */
  since: number;
  /** Brings it back from the queue now. @throws when it is not waiting there */
  call(): Promise<void>;
}

/** One that was put back comes again by itself after this time, the longer the more often it was; it may be called before. */
const returnAfterMs = 1000;
const longestReturnMs = 10_000;
/** Those put back come again one after the other, so far apart. */
const betweenReturnsMs = 10;

/**
 * The places of a worker for collections. A host may have as many as are left free by all, so that one with many collections due, or one that is slow, always
 * leaves places to others; alone it has half of them. Who finds no place is put back into the queue and called when one is free: the host with the fewest
 * places first, and of its collections the one that was queued first.
 */
export class Places {
  readonly #taken = new Map<string, number>();
  /** Those put back by this worker, by host, in the order in which they were queued. Some may have gone to another worker since. */
  readonly #waiting = new Map<string, Applicant[]>();
  #all = 0;
  #lastReturn = 0;

  constructor(private readonly places: number) {}

  /** @returns false when it has to be put back */
  take(host: string, { id, since }: Applicant): boolean {
    this.#forget(host, id);
    if (!this.#mayHaveMore(host)) return false;
    const taken = this.#taken.get(host) ?? 0;
    const [first] = this.#waiting.get(host) ?? [];
    if (first && first.since < since && taken > 0) {
      void this.#callNext();
      return false;
    }
    this.#taken.set(host, taken + 1);
    this.#all++;
    return true;
  }

  leave(host: string): void {
    const left = (this.#taken.get(host) ?? 1) - 1;
    if (left > 0) this.#taken.set(host, left);
    else this.#taken.delete(host);
    this.#all--;
    void this.#callNext();
  }

  /** One that found no place is in the queue again. */
  putBack(host: string, applicant: Applicant): void {
    const waiting = this.#waiting.get(host) ?? [];
    this.#waiting.set(host, waiting);
    waiting.splice(waiting.findLastIndex(({ since }) => since <= applicant.since) + 1, 0, applicant);
  }

  /** When one that found no place is to come again by itself: after all that were put back before. */
  nextReturn(now: number, times: number): number {
    this.#lastReturn = Math.max(now + Math.min(returnAfterMs * times, longestReturnMs), this.#lastReturn + betweenReturnsMs);
    return this.#lastReturn;
  }

  async #callNext(): Promise<void> {
    for (;;) {
      const hosts = [...this.#waiting.keys()].filter((host) => this.#mayHaveMore(host));
      const poorest = hosts.toSorted((a, b) => (this.#taken.get(a) ?? 0) - (this.#taken.get(b) ?? 0))[0];
      const [first] = (poorest !== undefined && this.#waiting.get(poorest)) || [];
      if (poorest === undefined || !first) return;
      this.#forget(poorest, first.id);
      try {
        return await first.call();
      } catch {
        // It has come again already, here or at another worker.
      }
    }
  }

  #mayHaveMore(host: string): boolean {
    return (this.#taken.get(host) ?? 0) < this.places - this.#all;
  }

  #forget(host: string, id: string): void {
    const waiting = this.#waiting.get(host);
    const place = waiting?.findIndex((applicant) => applicant.id === id) ?? -1;
    if (!waiting || place < 0) return;
    waiting.splice(place, 1);
    if (waiting.length === 0) this.#waiting.delete(host);
  }
}
