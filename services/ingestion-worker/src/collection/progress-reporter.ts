import type { CollectionReport, TypeProgress } from '@tributary/contracts';

const reportEveryMs = 500;

/**
 * Tells user-management how far a collection is, at most twice a second and never two at once. A report on the way is never waited for; one that fails is
 * made up for by the next. The end is told for certain.
 */
export class ProgressReporter {
  #last = 0;
  #sending: Promise<void> | undefined;
  #isStale = false;

  /** @param send tells whether the collection is still the one under way */
  constructor(
    private readonly types: () => TypeProgress[],
    private readonly send: (report: CollectionReport) => Promise<boolean>,
  ) {}

  /** True when the collection was replaced or forgotten, and should stop. */
  get isStale(): boolean {
    return this.#isStale;
  }

  touch(): void {
    if (this.#sending || Date.now() - this.#last < reportEveryMs) return;
    this.#last = Date.now();
    this.#sending = this.#report({ state: 'collecting', types: this.types() })
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        this.#sending = undefined;
      });
  }

  /** @returns false when the collection was replaced or forgotten meanwhile */
  async finish(state: 'completed' | 'failed', error?: string): Promise<boolean> {
    await this.#sending;
    return this.#report({ state, types: this.types(), ...(error ? { error } : {}) });
  }

  async #report(report: CollectionReport): Promise<boolean> {
    const isCurrent = await this.send(report);
    if (!isCurrent) this.#isStale = true;
    return isCurrent;
  }
}
