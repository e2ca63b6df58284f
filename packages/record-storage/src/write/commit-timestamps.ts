import { setTimeout as sleep } from 'node:timers/promises';
import { databaseClock } from '../postgres/database-clock';
import { type Statement, type Queryable, run } from '../postgres/statement';

const SAMPLES = 64;
const LEAD_PERCENTILE = 0.95;

/** Answers do not wait for a time that is no further ahead: snapshots look so far ahead themselves (schema/snapshot-time.ts). */
export const MAX_LEAD_MS = 50;

/** No write is dated further ahead of the database's clock: a host's clock that is wrong must not reach what is stored. */
export const MAX_SKEW_MS = 5000;

const readDatabaseClock: Statement = { name: 'write-clock', text: `SELECT ${databaseClock}` };

/** The time of a write, and when it ran; both by the database's clock, in epoch milliseconds. */
export interface WriteTimestamps {
  readonly at: number;
  readonly executedAt: number;
}

export interface ObservedWrite extends WriteTimestamps {
  /** When its time was chosen, by the local clock. */
  readonly allocatedAt: number;
}

/**
 * Waits until a write may be answered: the database's clock has come near enough to its time. A version of the far future,
 * which only follows another one, is not waited for.
 */
export async function waitOutLead({ at, executedAt }: WriteTimestamps): Promise<void> {
  const excess = at - executedAt - MAX_LEAD_MS;
  if (excess > 0 && excess <= MAX_SKEW_MS) await sleep(excess);
}

/**
 * Chooses the times of single writes. A time is chosen before its statement is sent, since the sealed line contains it,
 * but must not lie before the moment at which the statement runs by the database's clock, else an export whose snapshot
 * was taken in between would miss it (see schema/snapshot-time.ts). So each write is dated ahead by what recent ones took
 * to reach the database, a millisecond or two, more under load, differences of the two clocks included; the statement
 * refuses a time that comes too late or lies far ahead.
 */
export class CommitTimestampAllocator {
  private observed: number[] = [];
  private next = 0;
  /** From choosing a time to running its statement, for nearly all writes; undefined before the clock is set. */
  private lead: number | undefined;
  private synchronizing: Promise<void> | undefined;

  get isSynchronized(): boolean {
    return this.lead !== undefined;
  }

  /** Compares the local clock with the database's, once. */
  synchronize(connection: Queryable): Promise<void> {
    this.synchronizing ??= this.compare(connection).finally(() => (this.synchronizing = undefined));
    return this.synchronizing;
  }

  /** A time to write with, after another, and the moment by the local clock at which it was chosen. */
  allocate(after: number): { at: number; allocatedAt: number } {
    const allocatedAt = Date.now();
    return { at: Math.max(allocatedAt + (this.lead ?? 0), after + 1), allocatedAt };
  }

  observe({ at, allocatedAt, executedAt }: ObservedWrite): void {
    // One of the clocks was set: what was observed before tells nothing any more.
    if (Math.abs(at - executedAt) > MAX_SKEW_MS) this.forget();
    const delay = executedAt - allocatedAt;
    this.observed[this.next] = delay;
    this.next = (this.next + 1) % SAMPLES;
    if (this.next % 8 === 0 || this.observed.length < 8 || delay >= (this.lead ?? 0)) this.adjust();
  }

  private async compare(connection: Queryable): Promise<void> {
    const [row] = await run(connection, readDatabaseClock, []);
    // Rather too little: the first write that comes too late tells how long the way is.
    this.lead ??= Number(row?.[0]) - Date.now() + 1;
  }

  private forget(): void {
    this.observed = [];
    this.next = 0;
  }

  private adjust(): void {
    const delays = this.observed.toSorted((a, b) => a - b);
    this.lead = (delays[Math.floor((delays.length - 1) * LEAD_PERCENTILE)] as number) + 1;
  }
}
