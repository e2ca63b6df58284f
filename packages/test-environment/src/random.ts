/** Pseudo-random numbers that a seed determines (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 (inclusive) to the limit (exclusive). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** @throws Error when there is nothing to pick from */
  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error('there is nothing to pick from');
    return items[this.below(items.length)] as Item;
  }

  /** An independent generator for a part of the run: its numbers do not depend on how many other parts draw. */
  fork(): Random {
    return new Random(this.below(2 ** 32));
  }
}
