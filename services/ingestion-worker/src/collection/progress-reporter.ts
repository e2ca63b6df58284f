import type { CollectionReport, TypeProgress } from '@tributary/contracts';

/** How a collection, or an attempt of it, ends. */
export type EndOfCollection = Omit<CollectionReport, 'types' | 'state'> & { state: 'completed' | 'failed' };

/**
 * Reports to user-management how far a collection is, when that has changed, and never twice at once. Nobody waits for a report
 * of progress; one that fails is made up for by the next. The report of the end is waited for.
 */
export class ProgressReporter {
  #last = 0;
  #told = '';
  #sending: Promise<void> | undefined;
  #isStale = false;

  /**
   * @param send tells whether the collection is still the one under way
   * @param everyMs the least time between two reports of progress
   */
  constructor(
    private readonly types: () => TypeProgress[],
    private readonly send: (report: CollectionReport) => Promise<boolean>,
    private readonly everyMs: number,
  ) {}

  /** True when the collection was replaced or forgotten, and should stop. */
  get isStale(): boolean {
    return this.#isStale;
  }

  touch(): void {
    if (this.#sending || Date.now() - this.#last < this.everyMs) return;
    const types = this.types();
    const told = JSON.stringify(types);
    if (told === this.#told) return;
    this.#last = Date.now();
    this.#sending = this.#report({ state: 'collecting', types })
      .then(
        () => void (this.#told = told),
        () => undefined,
      )
      .finally(() => {
        this.#sending = undefined;
      });
  }

  /** @returns false when the collection was replaced or forgotten meanwhile */
  async finish(end: EndOfCollection): Promise<boolean> {
    await this.#sending;
    return this.#report({ ...end, types: this.types() });
  }

  async #report(report: CollectionReport): Promise<boolean> {
    const isCurrent = await this.send(report);
    if (!isCurrent) this.#isStale = true;
    return isCurrent;
  }
}
