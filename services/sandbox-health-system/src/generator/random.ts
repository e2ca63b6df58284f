import { createHash } from 'node:crypto';

/** A seeded pseudo-random generator (mulberry32): the same seed gives the same sequence on every machine. */
export class Random {
  private state: number;

  constructor(private readonly seed: string) {
    this.state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer between two bounds, both inclusive. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** A number between two bounds, with a fixed number of decimals. */
  decimal(min: number, max: number, decimals: number): number {
    return Number((min + this.next() * (max - min)).toFixed(decimals));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** A random subset of the items, in their order. */
  some<Item>(items: readonly Item[], count: number): Item[] {
    const chosen = new Set<number>();
    while (chosen.size < Math.min(count, items.length)) chosen.add(this.integer(0, items.length - 1));
    return items.filter((_item, index) => chosen.has(index));
  }

  /** A UUID derived from the seed and a name; it does not advance the sequence. */
  id(name: string): string {
    const hex = createHash('sha256').update(`${this.seed}/${name}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }
}
