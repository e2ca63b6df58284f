/** The first to be put back returns after this time. */
const firstReturnMs = 1000;
/** Those put back return one after the other, so far apart. */
const betweenReturnsMs = 10;

/**
 * The places of a worker for collections. A host may have as many as are left free by all, so that one with many collections due, or one that is slow, always
 * leaves places to others; alone it has half of them.
 */
export class Places {
  readonly #taken = new Map<string, number>();
  #all = 0;
  #lastReturn = 0;

  constructor(private readonly places: number) {}

  /** @returns false when the host has to wait, and takes no place */
  take(host: string): boolean {
    const taken = this.#taken.get(host) ?? 0;
    if (taken >= this.places - this.#all) return false;
    this.#taken.set(host, taken + 1);
    this.#all++;
    return true;
  }

  leave(host: string): void {
    const left = (this.#taken.get(host) ?? 1) - 1;
    if (left > 0) this.#taken.set(host, left);
    else this.#taken.delete(host);
    this.#all--;
  }

  /** When one that got no place is to try again: later than all that were put back before, so that they keep their order. */
  nextReturn(now: number): number {
    this.#lastReturn = Math.max(now + firstReturnMs, this.#lastReturn + betweenReturnsMs);
    return this.#lastReturn;
  }
}
