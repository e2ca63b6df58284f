interface Waiter {
  reservation: Reservation;
  bytes: number;
  admit(): void;
}

/**
 * Limits the memory that response bodies of health systems take in one worker process, from the request until the
 * content is stored.
 *
 * - A request reserves the expected size before it is sent. A request that waits holds nothing, so that no two requests
 *   wait for each other.
 * - The sum of one host is at most what all hosts together leave free (alone: half of the budget), so that one host
 *   never fills the budget.
 * - One reservation at a time, the one that waits longest, may exceed the budget (the overdraft). It does not count for
 *   the others, so that a response that is larger than the whole budget can be read too.
 *
 * The scope is one process, and there is no clock: a reservation lasts until `release`.
 */
export class ResponseMemoryBudget {
  readonly #waiters: Waiter[] = [];
  readonly #bytesByHost = new Map<string, number>();
  #reservedBytes = 0;
  /** The one reservation outside the budget. */
  #overdraft: Reservation | undefined;

  constructor(private readonly maxBytes: number) {}

  /** Bytes that are reserved now, with the overdraft. */
  get heldBytes(): number {
    return this.#reservedBytes + (this.#overdraft?.bytes ?? 0);
  }

  /** An empty reservation for one response of a host. */
  reservation(host: string): Reservation {
    return new Reservation(this, host);
  }

  /** Waits, without a limit of its own, until the bytes are free. @throws the reason of the signal */
  async reserve(reservation: Reservation, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#fits(reservation.host, bytes)) return this.#add(reservation, bytes);
    if (!this.#overdraft) return this.#setOverdraft(reservation, bytes);
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason as Error);
      };
      const admit = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const waiter = { reservation, bytes, admit };
      this.#waiters.push(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Never waits. @returns false when the bytes are not free now */
  tryGrow(reservation: Reservation, bytes: number): boolean {
    if (this.#overdraft === reservation) reservation.bytes += bytes;
    else if (this.#fits(reservation.host, bytes)) this.#add(reservation, bytes);
    else if (!this.#overdraft) {
      const previous = reservation.bytes;
      this.#remove(reservation, previous);
      this.#setOverdraft(reservation, previous + bytes);
    } else return false;
    return true;
  }

  release(reservation: Reservation, bytes: number): void {
    if (this.#overdraft !== reservation) this.#remove(reservation, bytes);
    else {
      reservation.bytes -= bytes;
      if (reservation.bytes === 0) this.#overdraft = undefined;
    }
    this.#admitWaiters();
  }

  /** A waiter that fits passes an earlier one that does not; the first one that does not fit becomes the overdraft. */
  #admitWaiters(): void {
    for (const waiter of this.#waiters.slice()) {
      const { reservation, bytes, admit } = waiter;
      if (this.#fits(reservation.host, bytes)) this.#add(reservation, bytes);
      else if (!this.#overdraft) this.#setOverdraft(reservation, bytes);
      else continue;
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      admit();
    }
  }

  #fits(host: string, bytes: number): boolean {
    return (this.#bytesByHost.get(host) ?? 0) + bytes <= this.maxBytes - this.#reservedBytes;
  }

  #setOverdraft(reservation: Reservation, bytes: number): void {
    this.#overdraft = reservation;
    reservation.bytes = bytes;
  }

  #add(reservation: Reservation, bytes: number): void {
    reservation.bytes += bytes;
    this.#reservedBytes += bytes;
    this.#bytesByHost.set(reservation.host, (this.#bytesByHost.get(reservation.host) ?? 0) + bytes);
  }

  #remove(reservation: Reservation, bytes: number): void {
    reservation.bytes -= bytes;
    this.#reservedBytes -= bytes;
    const rest = (this.#bytesByHost.get(reservation.host) ?? 0) - bytes;
    if (rest > 0) this.#bytesByHost.set(reservation.host, rest);
    else this.#bytesByHost.delete(reservation.host);
  }
}

/** The share of one response in the budget. It can be released and reserved again. */
export class Reservation {
  /** The reserved bytes; only the budget changes them. */
  bytes = 0;

  constructor(
    private readonly budget: ResponseMemoryBudget,
    readonly host: string,
  ) {}

  /**
   * Replaces the reservation before a request is sent. Waits until the bytes are free.
   * @throws the reason of the signal
   */
  async reserve(bytes: number, signal: AbortSignal): Promise<void> {
    this.release();
    await this.budget.reserve(this, bytes, signal);
  }

  /**
   * Enlarges the reservation before more of a body is kept than it covers. Never waits.
   * @returns false when the bytes are not free: the response must be dropped and requested again with a larger
   * reservation
   */
  tryGrowTo(bytes: number): boolean {
    return bytes <= this.bytes || this.budget.tryGrow(this, bytes - this.bytes);
  }

  /** Releases what a complete body does not need. */
  shrinkTo(bytes: number): void {
    if (bytes < this.bytes) this.budget.release(this, this.bytes - bytes);
  }

  /** Releases everything, once the content is stored or dropped. */
  release(): void {
    if (this.bytes > 0) this.budget.release(this, this.bytes);
  }
}
