/** What attachments may take up. */
export interface AttachmentLimits {
  /** Larger ones are left where they are. */
  mostBytes: number;
  turns: Turns;
}

/** Lets so many of a worker's collections hold an attachment in memory at once. */
export class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
