/**
 * Limits the number of concurrent operations. Further ones wait in the order of their calls. `async-mutex` is not used:
 * a waiting call must leave the queue when its signal is aborted, and `CallLimits` needs the number of waiting calls.
 */
export class Slots {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @throws the reason of the signal when it is aborted before the work has begun */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.max) await this.#wait(signal);
    else this.#running++;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#release();
    }
  }

  /** The slot passes from the work that ends to the one that waits, so that nothing overtakes it. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#running--;
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const index = this.#waiting.indexOf(begin);
        if (index >= 0) this.#waiting.splice(index, 1);
        reject(signal.reason as Error);
      };
      if (signal.aborted) return leave();
      this.#waiting.push(begin);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
