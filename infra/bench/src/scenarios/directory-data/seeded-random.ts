import { Random } from '@tributary/test-environment';

/** Numbers that a number and a purpose determine, so that all runs measure the same directory. */
export class SeededRandom extends Random {
  constructor(number: number, purpose: number) {
    super(Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(purpose, 0x85ebca6b));
  }

  /** Picks an item, with a higher probability for items at the start of the list. */
  pickEarly<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() ** 2 * items.length)] as T;
  }
}
