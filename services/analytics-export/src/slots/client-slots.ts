import { unavailable } from '@tributary/service-kit';

export interface ClientSlotsOptions {
  /** The number of slots. Each download or plan takes some megabytes. */
  slots: number;
  /** How long a request waits for a slot, in milliseconds. */
  timeoutMs: number;
}

interface Waiting {
  clientId: string;
  start(): void;
}

/**
 * A semaphore that limits concurrent downloads or plans, and thereby memory. One client gets at most half of the slots,
 * so that its slow downloads and large exports do not block other clients.
 */
export class ClientSlots {
  readonly #running = new Map<string, number>();
  readonly #queue: Waiting[] = [];
  #taken = 0;

  constructor(private readonly options: ClientSlotsOptions) {}

  /**
   * Runs the work in a slot.
   * @throws HttpError 503 when no slot became free within `timeoutMs`
   */
  async run<T>(clientId: string, work: () => Promise<T>): Promise<T> {
    const release = await this.take(clientId);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Takes a slot without waiting.
   * @returns a function that releases the slot; undefined when none is free for the client
   */
  tryAcquire(clientId: string): (() => void) | undefined {
    if (!this.#isFree(clientId)) return undefined;
    this.#occupy(clientId);
    return this.#releaseOnce(clientId);
  }

  /**
   * Waits for a slot.
   * @returns a function that releases the slot
   * @throws HttpError 503 when no slot became free within `timeoutMs`
   */
  async take(clientId: string): Promise<() => void> {
    if (!this.#isFree(clientId)) await this.#waitForSlot(clientId);
    else this.#occupy(clientId);
    return this.#releaseOnce(clientId);
  }

  #releaseOnce(clientId: string): () => void {
    let held = true;
    return () => {
      if (held) this.#release(clientId);
      held = false;
    };
  }

  #isFree(clientId: string): boolean {
    const { slots } = this.options;
    return this.#taken < slots && (this.#running.get(clientId) ?? 0) < Math.ceil(slots / 2);
  }

  #occupy(clientId: string): void {
    this.#taken++;
    this.#running.set(clientId, (this.#running.get(clientId) ?? 0) + 1);
  }

  #waitForSlot(clientId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(unavailable('too many exports run at the moment: try again'));
      }, this.options.timeoutMs);
      const waiting: Waiting = {
        clientId,
        start: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#queue.push(waiting);
    });
  }

  #release(clientId: string): void {
    this.#taken--;
    const left = (this.#running.get(clientId) ?? 0) - 1;
    if (left > 0) this.#running.set(clientId, left);
    else this.#running.delete(clientId);
    const next = this.#queue.findIndex((waiting) => this.#isFree(waiting.clientId));
    const [waiting] = next < 0 ? [] : this.#queue.splice(next, 1);
    if (!waiting) return;
    this.#occupy(waiting.clientId);
    waiting.start();
  }
}
