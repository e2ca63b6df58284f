/**
 * Pseudo-random numbers (mulberry32) that a number and a purpose determine, so that all runs measure the same
 * directory.
 */
export class SeededRandom {
  #state: number;

  constructor(number: number, purpose: number) {
    this.#state = (Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca6b)) | 0;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Picks an item, with a higher probability for items at the start of the list. */
  pickEarly<T>(items: readonly T[]): T {
    return items[Math.floor(this.fraction() ** 2 * items.length)] as T;
  }
}
