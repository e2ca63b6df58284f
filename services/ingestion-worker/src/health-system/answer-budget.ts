interface Waiting {
  room: AnswerRoom;
  bytes: number;
  enter(): void;
}

/**
 * How much of health systems' answers a worker holds at once, from the first byte that comes in until what was in it is stored. Beyond that answers are
 * left where they are, in the connections they come over. So that there is always an end to it, one answer at a time may come in beyond it.
 */
export class AnswerBudget {
  readonly #waiting: Waiting[] = [];
  #held = 0;
  #beyond: AnswerRoom | undefined;

  constructor(private readonly mostBytes: number) {}

  /** How many bytes are held now. */
  get held(): number {
    return this.#held;
  }

  /** Room for one answer, empty as yet. */
  room(): AnswerRoom {
    return new AnswerRoom(this);
  }

  /** @returns undefined when there is room at once */
  take(room: AnswerRoom, bytes: number, signal: AbortSignal): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#enter(room, bytes)) return undefined;
    if (this.#beyond === room) return void this.#enter(room, bytes);
    return new Promise((resolve, reject) => {
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
      if (signal.aborted) leave();
    });
  }

  giveBack(room: AnswerRoom, bytes: number): void {
    this.#held -= bytes;
    if (this.#beyond === room) this.#beyond = undefined;
    for (let [first] = this.#waiting; first && this.#enter(first.room, first.bytes); [first] = this.#waiting) {
      this.#waiting.shift();
      first.enter();
    }
  }

  #enter(room: AnswerRoom, bytes: number): boolean {
    if (this.#held + bytes > this.mostBytes) {
      if (this.#beyond && this.#beyond !== room) return false;
      this.#beyond = room;
    }
    this.#held += bytes;
    room.holds(bytes);
    return true;
  }
}

/** What one answer takes of the budget. It can be emptied and used again. */
export class AnswerRoom {
  #bytes = 0;

  constructor(private readonly budget: AnswerBudget) {}

  /**
   * To be called before more of the answer is kept.
   * @returns undefined when there is room at once
   */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    return this.budget.take(this, bytes, signal);
  }

  /** Called by the budget: so much more is kept. */
  holds(bytes: number): void {
    this.#bytes += bytes;
  }

  /** What was in the answer is stored, or given up. */
  release(): void {
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.budget.giveBack(this, bytes);
  }
}
