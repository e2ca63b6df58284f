import { createHash } from 'node:crypto';

/** Chance from a seed: the same seed gives the same sequence on every machine. */
export class Random {
  private state: number;

  constructor(private readonly seed: string) {
    this.state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  }

  /** A number from 0 up to, not including, 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number between two, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** A number with so many decimals between two. */
  decimal(least: number, most: number, places: number): number {
    return Number((least + this.next() * (most - least)).toFixed(places));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** Some of the items, in their order. */
  some<Item>(items: readonly Item[], count: number): Item[] {
    const chosen = new Set<number>();
    while (chosen.size < Math.min(count, items.length)) chosen.add(this.integer(0, items.length - 1));
    return items.filter((_item, index) => chosen.has(index));
  }

  /** The id of the named thing: a UUID drawn from the seed and the name, not from the sequence. */
  id(name: string): string {
    const hex = createHash('sha256').update(`${this.seed}/${name}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }
}
