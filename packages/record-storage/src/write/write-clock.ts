import { setTimeout as sleep } from 'node:timers/promises';
import { databaseClock } from '../postgres/database-clock';
import { type Statement, type Statements, run } from '../postgres/statement';

const REMEMBERED = 64;
const CAUTION = 0.95;

/** Answers do not wait for a time that is no further ahead: snapshots look so far ahead themselves (schema/snapshot-time.ts). */
export const FORESIGHT_MS = 50;

/** No write is dated further ahead of the database's clock: a host's clock that is wrong must not reach what is stored. */
export const MAX_AHEAD_MS = 5000;

const readClock: Statement = { name: 'write-clock', text: `SELECT ${databaseClock}` };

/** The time of a write, and when it ran; both by the database's clock, in epoch milliseconds. */
export interface WriteTimes {
  readonly at: number;
  readonly ran: number;
}

export interface ObservedWrite extends WriteTimes {
  /** When its time was chosen, by the local clock. */
  readonly chosen: number;
}

/**
 * Waits until a write may be answered: the database's clock has come near enough to its time. A version of the far future,
 * which only follows another one, is not waited for.
 */
export async function holdBack({ at, ran }: WriteTimes): Promise<void> {
  const ahead = at - ran - FORESIGHT_MS;
  if (ahead > 0 && ahead <= MAX_AHEAD_MS) await sleep(ahead);
}

/**
 * Chooses the times of single writes. A time is chosen before its statement is sent, since the sealed line contains it,
 * but must not lie before the moment at which the statement runs by the database's clock, else an export whose snapshot
 * was taken in between would miss it (see schema/snapshot-time.ts). So each write is dated ahead by what recent ones took
 * to reach the database, a millisecond or two, more under load, differences of the two clocks included; the statement
 * refuses a time that comes too late or lies far ahead.
 */
export class WriteClock {
  private observed: number[] = [];
  private next = 0;
  /** From choosing a time to running its statement, for nearly all writes; undefined before the clock is set. */
  private lead: number | undefined;
  private setting: Promise<void> | undefined;

  get isSet(): boolean {
    return this.lead !== undefined;
  }

  /** Compares the local clock with the database's, once. */
  set(connection: Statements): Promise<void> {
    this.setting ??= this.compare(connection).finally(() => (this.setting = undefined));
    return this.setting;
  }

  /** A time to write with, after another, and the moment by the local clock at which it was chosen. */
  choose(after: number): { at: number; chosen: number } {
    const chosen = Date.now();
    return { at: Math.max(chosen + (this.lead ?? 0), after + 1), chosen };
  }

  learn({ at, chosen, ran }: ObservedWrite): void {
    // One of the clocks was set: what was observed before tells nothing any more.
    if (Math.abs(at - ran) > MAX_AHEAD_MS) this.forget();
    const delay = ran - chosen;
    this.observed[this.next] = delay;
    this.next = (this.next + 1) % REMEMBERED;
    if (this.next % 8 === 0 || this.observed.length < 8 || delay >= (this.lead ?? 0)) this.adjust();
  }

  private async compare(connection: Statements): Promise<void> {
    const [row] = await run(connection, readClock, []);
    // Rather too little: the first write that comes too late tells how long the way is.
    this.lead ??= Number(row?.[0]) - Date.now() + 1;
  }

  private forget(): void {
    this.observed = [];
    this.next = 0;
  }

  private adjust(): void {
    const delays = this.observed.toSorted((a, b) => a - b);
    this.lead = (delays[Math.floor((delays.length - 1) * CAUTION)] as number) + 1;
  }
}
