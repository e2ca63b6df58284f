/** Limits the number of concurrent operations. Further ones wait in the order of their calls. */
export class Semaphore {
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
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Waits until an operation may begin.
   * @returns to be called once, when the operation has ended
   * @throws the reason of the signal when it is aborted before
   */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const release = this.tryAcquire();
    if (release) return release;
    await this.#wait(signal);
    return () => this.#release();
  }

  /** @returns undefined when no operation may begin now; otherwise as `acquire` */
  tryAcquire(): (() => void) | undefined {
    if (this.#running >= this.max) return undefined;
    this.#running++;
    return () => this.#release();
  }

  /** The permit passes from the operation that ends to the one that waits, so that nothing overtakes it. */
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
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(begin);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
