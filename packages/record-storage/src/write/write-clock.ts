import { setTimeout as sleep } from 'node:timers/promises';

const REMEMBERED = 64;
const CAUTION = 0.95;

/** Answers do not wait for a time that is no further ahead: `snapshot_time` looks so far ahead itself. */
export const FORESIGHT_MS = 50;

/** A write, by the local clock but for `ran`. */
export interface ObservedWrite {
  /** When its time was chosen. */
  readonly chosen: number;
  /** When its statement ran, by the database's clock. */
  readonly ran: number;
  /** When the answer came. */
  readonly answered: number;
}

/**
 * Chooses the times of single writes. A time is chosen before its statement is sent, since the sealed line contains it,
 * but must not lie before the moment at which the statement runs by the database's clock, else an export whose snapshot
 * was taken in between would miss it (see snapshot_time). So each write is dated ahead by what recent ones took to reach
 * the database, a millisecond or two, more under load, differences of the two clocks included; the statement refuses a
 * time that came too late.
 */
export class WriteClock {
  private readonly observed: ObservedWrite[] = [];
  private next = 0;
  /** From choosing a time to running its statement, for nearly all writes. */
  private lead = 1;
  /** The database's clock is at least so far ahead of the local one. */
  private offset = 0;

  /** A time to write with, after another, and the moment by the local clock at which it was chosen. */
  choose(after: number): { at: number; chosen: number } {
    const chosen = Date.now();
    return { at: Math.max(chosen + this.lead, after + 1), chosen };
  }

  learn(write: ObservedWrite): void {
    this.observed[this.next] = write;
    this.next = (this.next + 1) % REMEMBERED;
    if (this.next % 8 === 0 || this.observed.length < 8 || write.ran - write.chosen > this.lead) this.adjust();
  }

  /** Waits until the time is near enough by the database's clock for the write to be answered. */
  async until(at: number): Promise<void> {
    for (let ahead = this.ahead(at); ahead > 0; ahead = this.ahead(at)) await sleep(ahead);
  }

  private ahead(at: number): number {
    return at - FORESIGHT_MS - (Date.now() + this.offset);
  }

  private adjust(): void {
    const delays = this.observed.map(({ chosen, ran }) => ran - chosen).toSorted((a, b) => a - b);
    this.lead = (delays[Math.floor((delays.length - 1) * CAUTION)] as number) + 1;
    this.offset = this.observed.reduce((most, { ran, answered }) => Math.max(most, ran - answered), -Infinity);
  }
}
