/** Throws that are the same for the same number every time (mulberry32), so that all runs measure the same directory. */
export class Dice {
  #state: number;

  constructor(number: number, purpose: number) {
    this.#state = (Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca6b)) | 0;
  }

  /** From 0 to 1, without 1. */
  part(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.part() * limit);
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Rather one from the beginning of the list, as most places are in the large cities. */
  earlyOf<T>(items: readonly T[]): T {
    return items[Math.floor(this.part() ** 2 * items.length)] as T;
  }
}
