import { type CollectionReport, HealthSystemPaused, type Person, type TypeProgress } from '@tributary/contracts';

/** The last report of an attempt, without the types. */
export type FinalReport = Omit<CollectionReport, 'types' | 'state' | 'person'> & { state: 'completed' | 'failed' };

/**
 * Reports the progress of a collection to user-management when it has changed, one report at a time. A failed progress
 * report is dropped: the next one replaces it. Only the final report is awaited.
 */
export class ProgressReporter {
  /** Epoch milliseconds. */
  #lastSentAt = 0;
  /** The JSON of the last report that arrived. */
  #lastReport = '';
  #sending: Promise<void> | undefined;
  #isStale = false;
  #isPaused = false;
  /** Whose record it is, once the Patient was read: part of each report. */
  person: Person | undefined;

  /**
   * @param send resolves to false when the collection was replaced or deleted
   * @param intervalMs the shortest time between two progress reports, in milliseconds
   */
  constructor(
    private readonly types: () => TypeProgress[],
    private readonly send: (report: CollectionReport) => Promise<boolean>,
    private readonly intervalMs: number,
  ) {}

  /** True when the collection was replaced or deleted, and must stop. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** True when the operator has paused the health system: the collection must stop, and continues later. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Starts to send a progress report, when one is due. Never waits, never throws. */
  reportIfDue(): void {
    if (this.#sending || Date.now() - this.#lastSentAt < this.intervalMs) return;
    const facts = this.#facts();
    const report = JSON.stringify(facts);
    if (report === this.#lastReport) return;
    this.#lastSentAt = Date.now();
    this.#sending = this.#report({ state: 'collecting', ...facts })
      .then(
        () => void (this.#lastReport = report),
        (error: unknown) => {
          if (error instanceof HealthSystemPaused) this.#isPaused = true;
        },
      )
      .finally(() => {
        this.#sending = undefined;
      });
  }

  /**
   * Sends the final report.
   * @returns false when the collection was replaced or deleted meanwhile.
   * @throws what `send` throws
   */
  async finish(report: FinalReport): Promise<boolean> {
    await this.#sending;
    return this.#report({ ...report, ...this.#facts() });
  }

  #facts(): Pick<CollectionReport, 'types' | 'person'> {
    return { types: this.types(), ...(this.person ? { person: this.person } : {}) };
  }

  async #report(report: CollectionReport): Promise<boolean> {
    const isCurrent = await this.send(report);
    if (!isCurrent) this.#isStale = true;
    return isCurrent;
  }
}
