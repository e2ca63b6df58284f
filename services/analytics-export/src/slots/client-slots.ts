import { Semaphore, unavailable } from '@tributary/service-kit';

/**
 * Limits concurrent downloads or plans, and thereby memory. One client gets at most half of the slots, so that its slow
 * downloads and large exports do not block other clients.
 */
export class ClientSlots {
  readonly #all: Semaphore;
  readonly #ofClients = new Map<string, Semaphore>();

  /**
   * @param slots their number. Each download or plan takes some megabytes
   * @param timeoutMs how long a request waits for a slot, in milliseconds
   */
  constructor(
    private readonly slots: number,
    private readonly timeoutMs = 20_000,
  ) {
    this.#all = new Semaphore(slots);
  }

  /**
   * Runs the work in a slot.
   * @throws HttpError 503 when no slot became free within `timeoutMs`
   */
  async run<T>(clientId: string, work: () => Promise<T>): Promise<T> {
    const waiting = AbortSignal.timeout(this.timeoutMs);
    const releases: (() => void)[] = [];
    try {
      for (const semaphore of this.#semaphoresOf(clientId)) releases.push(await semaphore.acquire(waiting));
    } catch {
      this.#release(clientId, releases);
      throw unavailable('too many exports run at the moment: try again');
    }
    try {
      return await work();
    } finally {
      this.#release(clientId, releases);
    }
  }

  /**
   * Takes a slot without waiting.
   * @returns to be called once, when the work has ended; undefined when no slot is free for the client
   */
  tryAcquire(clientId: string): (() => void) | undefined {
    const semaphores = this.#semaphoresOf(clientId);
    const releases = semaphores.flatMap((semaphore) => semaphore.tryAcquire() ?? []);
    if (releases.length === semaphores.length) return () => this.#release(clientId, releases);
    this.#release(clientId, releases);
    return undefined;
  }

  #semaphoresOf(clientId: string): Semaphore[] {
    const own = this.#ofClients.get(clientId) ?? new Semaphore(Math.ceil(this.slots / 2));
    this.#ofClients.set(clientId, own);
    return [own, this.#all];
  }

  #release(clientId: string, releases: readonly (() => void)[]): void {
    for (const release of releases) release();
    if (this.#ofClients.get(clientId)?.isIdle) this.#ofClients.delete(clientId);
  }
}
