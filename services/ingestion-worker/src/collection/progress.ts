import type { CollectionReport, TypeProgress } from '@tributary/contracts';

/** A type that is about to be collected. */
export function emptyProgress(type: string): TypeProgress {
  return { type, fetched: 0, stored: 0, unchanged: 0, failed: 0, done: false, warnings: [] };
}

const mostWarnings = 20;

/** Adds a warning once; beyond 20 a type has trouble enough to show. */
export function warn(progress: TypeProgress, warning: string): void {
  if (!progress.warnings.includes(warning) && progress.warnings.length < mostWarnings) progress.warnings.push(warning);
}

const reportEveryMs = 500;

/** Tells user-management how far a collection is, at most twice a second, the last state always. */
export class ProgressReporter {
  #last = 0;
  #sending: Promise<boolean> = Promise.resolve(true);
  #stale = false;

  constructor(
    private readonly types: () => TypeProgress[],
    private readonly send: (report: CollectionReport) => Promise<boolean>,
  ) {}

  /** True when the collection was replaced or forgotten, and should stop. */
  get stale(): boolean {
    return this.#stale;
  }

  async touch(): Promise<void> {
    if (Date.now() - this.#last < reportEveryMs) return;
    this.#last = Date.now();
    await this.#report({ state: 'collecting', types: this.types() });
  }

  /** @returns false when the collection was replaced or forgotten meanwhile */
  async finish(state: 'completed' | 'failed', error?: string): Promise<boolean> {
    await this.#sending.catch(() => true);
    return this.#report({ state, types: this.types(), ...(error ? { error } : {}) });
  }

  #report(report: CollectionReport): Promise<boolean> {
    this.#sending = this.send(report).then((current) => {
      if (!current) this.#stale = true;
      return current;
    });
    return this.#sending;
  }
}
