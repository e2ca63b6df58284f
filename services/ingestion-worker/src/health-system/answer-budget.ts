interface Waiting {
  room: AnswerRoom;
  bytes: number;
  enter(): void;
}

/**
 * Memory for the answers of health systems in one worker, from the request until what was in the answer is stored. An answer reserves
 * what it is expected to need before the request is sent; whoever waits for a reservation holds none, so that nobody waits for
 * an answer that cannot finish. A host reserves no more than what all hosts together leave free: one host alone has half. One
 * answer at a time, the one that waits longest, may be outside of the budget; it does not count for the others.
 */
export class AnswerBudget {
  readonly #waiting: Waiting[] = [];
  readonly #byHost = new Map<string, number>();
  #within = 0;
  /** The one answer outside of the budget. */
  #beyond: AnswerRoom | undefined;

  constructor(private readonly mostBytes: number) {}

  /** How many bytes are held now. */
  get held(): number {
    return this.#within + (this.#beyond?.bytes ?? 0);
  }

  /** Room for one answer of a host, empty as yet. */
  room(host: string): AnswerRoom {
    return new AnswerRoom(this, host);
  }

  /** Rejects with the reason of the signal. */
  async reserve(room: AnswerRoom, bytes: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#fits(room.host, bytes)) return this.#add(room, bytes);
    if (!this.#beyond) return this.#goBeyond(room, bytes);
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason as Error);
      };
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { room, bytes, enter };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Never waits. @returns false when there is no memory for so many bytes more now */
  grow(room: AnswerRoom, bytes: number): boolean {
    if (this.#beyond === room) room.bytes += bytes;
    else if (this.#fits(room.host, bytes)) this.#add(room, bytes);
    else if (!this.#beyond) {
      const had = room.bytes;
      this.#remove(room, had);
      this.#goBeyond(room, had + bytes);
    } else return false;
    return true;
  }

  giveBack(room: AnswerRoom, bytes: number): void {
    if (this.#beyond !== room) this.#remove(room, bytes);
    else {
      room.bytes -= bytes;
      if (room.bytes === 0) this.#beyond = undefined;
    }
    this.#admit();
  }

  /** Who fits does not wait for an earlier one that does not; the first of those that do not fit goes beyond. */
  #admit(): void {
    for (const waiting of this.#waiting.slice()) {
      const { room, bytes, enter } = waiting;
      if (this.#fits(room.host, bytes)) this.#add(room, bytes);
      else if (!this.#beyond) this.#goBeyond(room, bytes);
      else continue;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      enter();
    }
  }

  #fits(host: string, bytes: number): boolean {
    return (this.#byHost.get(host) ?? 0) + bytes <= this.mostBytes - this.#within;
  }

  #goBeyond(room: AnswerRoom, bytes: number): void {
    this.#beyond = room;
    room.bytes = bytes;
  }

  #add(room: AnswerRoom, bytes: number): void {
    room.bytes += bytes;
    this.#within += bytes;
    this.#byHost.set(room.host, (this.#byHost.get(room.host) ?? 0) + bytes);
  }

  #remove(room: AnswerRoom, bytes: number): void {
    room.bytes -= bytes;
    this.#within -= bytes;
    const left = (this.#byHost.get(room.host) ?? 0) - bytes;
    if (left > 0) this.#byHost.set(room.host, left);
    else this.#byHost.delete(room.host);
  }
}

/** What one answer takes of the budget. It can be emptied and used again. */
export class AnswerRoom {
  /** How many bytes are reserved; changed by the budget. */
  bytes = 0;

  constructor(
    private readonly budget: AnswerBudget,
    readonly host: string,
  ) {}

  /** To be called before a request is sent; what was reserved before is given back. Rejects with the reason of the signal. */
  async reserve(bytes: number, signal: AbortSignal): Promise<void> {
    this.release();
    await this.budget.reserve(this, bytes, signal);
  }

  /**
   * To be called before more of the answer is kept than was reserved. Never waits.
   * @returns false when there is no memory for it: the answer must be given up, and requested again with a larger reservation
   */
  growTo(bytes: number): boolean {
    return bytes <= this.bytes || this.budget.grow(this, bytes - this.bytes);
  }

  /** The answer is whole, and has so many bytes. */
  shrinkTo(bytes: number): void {
    if (bytes < this.bytes) this.budget.giveBack(this, this.bytes - bytes);
  }

  /** What was in the answer is stored, or given up. */
  release(): void {
    if (this.bytes > 0) this.budget.giveBack(this, this.bytes);
  }
}
