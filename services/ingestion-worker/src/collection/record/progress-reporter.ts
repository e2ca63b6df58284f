import { type CollectionReport, HealthSystemPaused, type Person, type TypeProgress } from '@tributary/contracts';

/** The last report of an attempt, without the types. */
export type FinalReport = Omit<CollectionReport, 'types' | 'state' | 'person'> & { state: 'completed' | 'failed' };

/** The collection was replaced by a newer one, or its connection or record was deleted: the attempt must stop. */
export class CollectionStale extends Error {}

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
  /** Why the collection must stop, as the response to a progress report has said. */
  #stop: Error | undefined;
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

  /**
   * Starts to send a progress report, when one is due. Never waits.
   * @throws CollectionStale, HealthSystemPaused when the response to an earlier one has said so
   */
  reportIfDue(): void {
    if (this.#stop) throw this.#stop;
    if (this.#sending || Date.now() - this.#lastSentAt < this.intervalMs) return;
    const facts = this.#facts();
    const report = JSON.stringify(facts);
    if (report === this.#lastReport) return;
    this.#lastSentAt = Date.now();
    this.#sending = this.#report({ state: 'collecting', ...facts })
      .then(
        () => void (this.#lastReport = report),
        (error: unknown) => {
          if (error instanceof HealthSystemPaused || error instanceof CollectionStale) this.#stop = error;
        },
      )
      .finally(() => {
        this.#sending = undefined;
      });
  }

  /**
   * Sends the final report.
   * @throws CollectionStale, or what `send` throws
   */
  async finish(report: FinalReport): Promise<void> {
    await this.#sending;
    await this.#report({ ...report, ...this.#facts() });
  }

  #facts(): Pick<CollectionReport, 'types' | 'person'> {
    return { types: this.types(), ...(this.person ? { person: this.person } : {}) };
  }

  async #report(report: CollectionReport): Promise<void> {
    if (!(await this.send(report))) throw new CollectionStale();
  }
}
