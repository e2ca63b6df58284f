const examplesOfEach = 5;

/** Counts cases by what they have in common, and keeps the first five of each as examples. */
export class Tally<Common extends object> {
  readonly #counted = new Map<string, Common & { count: number; examples: string[] }>();

  add(common: Common, example: string, count = 1): void {
    const key = JSON.stringify(common);
    const counted = this.#counted.get(key) ?? { ...common, count: 0, examples: [] };
    this.#counted.set(key, counted);
    counted.count += count;
    if (counted.examples.length < examplesOfEach && !counted.examples.includes(example)) counted.examples.push(example);
  }

  /** The most frequent ones first. */
  sorted(): (Common & { count: number; examples: string[] })[] {
    return [...this.#counted.values()].sort((one, other) => other.count - one.count);
  }
}
