import { shortest } from './needles';

const prefilterBits = 24;

/** Many byte patterns, looked for at once in one pass over the bytes. */
export class PatternSet {
  readonly #prefilter = new Uint8Array(2 ** prefilterBits);
  readonly #byBeginning = new Map<number, { name: string; bytes: Buffer }[]>();

  add(name: string, bytes: Buffer): void {
    if (bytes.length < shortest) throw new Error('too short to mean anything');
    const key = beginningAt(bytes, 0);
    this.#prefilter[key % 2 ** prefilterBits] = 1;
    const same = this.#byBeginning.get(key);
    if (same) same.push({ name, bytes });
    else this.#byBeginning.set(key, [{ name, bytes }]);
  }

  /** The names of the patterns that stand in the bytes. */
  findIn(bytes: Buffer): Set<string> {
    const found = new Set<string>();
    for (let at = 0; at + shortest <= bytes.length; at++) {
      // The prefilter goes by the last three bytes of the beginning.
      const low = ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number);
      if (this.#prefilter[low] === 0) continue;
      for (const { name, bytes: pattern } of this.#byBeginning.get(beginningAt(bytes, at)) ?? [])
        if (pattern.equals(bytes.subarray(at, at + pattern.length))) found.add(name);
    }
    return found;
  }
}

function beginningAt(bytes: Buffer, at: number): number {
  return bytes.readUIntBE(at, shortest);
}
