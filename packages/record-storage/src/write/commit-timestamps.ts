import { setTimeout as sleep } from 'node:timers/promises';
import { WriteNotConfirmedError } from '../errors';
import { type Statement, type Queryable, databaseClock, run } from '../postgres/statement';
import { latestTime } from '../schema/snapshot-time';

const SAMPLES = 64;
const LEAD_PERCENTILE = 0.95;

/**
 * A commit timestamp may be at most this far in the future, in milliseconds, when the write is acknowledged: a snapshot
 * waits out that window (schema/snapshot-time.ts).
 */
export const MAX_LEAD_MS = 50;

/**
 * The maximum difference, in milliseconds, between a commit timestamp and the database's clock: a wrong clock of a host
 * must not affect stored timestamps.
 */
export const MAX_SKEW_MS = 5000;

/**
 * Raises the floor of snapshot times, while it is ahead of a clock that was set back, until a timestamp is at most
 * MAX_LEAD_MS ahead of it. $1 timestamp minus MAX_LEAD_MS
 */
const raiseFloor: Statement = {
  name: 'commit-timestamp-floor',
  text: `SELECT CASE WHEN time < $1::bigint THEN fhir_store.snapshot_time(($1::bigint - time)::integer) END
    FROM (SELECT ${latestTime} AS time OFFSET 0) t`,
};

const readDatabaseClock: Statement = { name: 'commit-timestamp-clock', text: `SELECT ${databaseClock}` };

/**
 * The commit timestamp of a write and the time of its execution, both by the database's clock, in epoch milliseconds.
 */
export interface WriteTimestamps {
  readonly at: number;
  readonly executedAt: number;
}

export interface ObservedWrite extends WriteTimestamps {
  /** When the timestamp was allocated, by the local clock, in epoch milliseconds. */
  readonly allocatedAt: number;
}

/**
 * Waits until a write may be acknowledged: its commit timestamp is at most MAX_LEAD_MS ahead of the later of the
 * database's clock and the floor of snapshot times. A timestamp in the far future, which only follows an earlier one,
 * is not waited for.
 * @throws WriteNotConfirmedError when the floor cannot be raised
 */
export async function waitOutLead(connection: Queryable, { at, executedAt }: WriteTimestamps): Promise<void> {
  const excess = at - executedAt - MAX_LEAD_MS;
  if (excess <= 0 || excess > MAX_SKEW_MS) return;
  await sleep(excess);
  await run(connection, raiseFloor, [at - MAX_LEAD_MS]).catch((error: unknown) => {
    throw new WriteNotConfirmedError(error);
  });
}

/**
 * Allocates the commit timestamps of single writes. A timestamp is allocated before its statement is sent, since the
 * sealed entry contains it. It must not be before the execution of the statement by the database's clock: an export
 * whose snapshot was taken in between would miss the write (schema/snapshot-time.ts). So each timestamp is ahead of the
 * local clock by a lead: a high percentile of the time that recent writes took to reach the database, which includes
 * the difference of the clocks. The statement refuses a timestamp that is too early or too far ahead.
 */
export class CommitTimestampAllocator {
  private observed: number[] = [];
  private next = 0;
  /**
   * Milliseconds from the allocation of a timestamp to the execution of its statement, for nearly all writes; undefined
   * before the first synchronization.
   */
  private lead: number | undefined;
  private synchronizing: Promise<void> | undefined;

  get isSynchronized(): boolean {
    return this.lead !== undefined;
  }

  /** Compares the local clock with the database's. Concurrent callers share one comparison. */
  synchronize(connection: Queryable): Promise<void> {
    this.synchronizing ??= this.compare(connection).finally(() => (this.synchronizing = undefined));
    return this.synchronizing;
  }

  /** A timestamp later than `after`, and the time of its allocation by the local clock; all in epoch milliseconds. */
  allocate(after: number): { at: number; allocatedAt: number } {
    const allocatedAt = Date.now();
    return { at: Math.max(allocatedAt + (this.lead ?? 0), after + 1), allocatedAt };
  }

  observe({ at, allocatedAt, executedAt }: ObservedWrite): void {
    // One of the clocks was set: earlier observations no longer apply.
    if (Math.abs(at - executedAt) > MAX_SKEW_MS) this.forget();
    const delay = executedAt - allocatedAt;
    this.observed[this.next] = delay;
    this.next = (this.next + 1) % SAMPLES;
    if (this.next % 8 === 0 || this.observed.length < 8 || delay >= (this.lead ?? 0)) this.adjust();
  }

  private async compare(connection: Queryable): Promise<void> {
    const [row] = await run(connection, readDatabaseClock, []);
    // This lead may be too small: the first write that is refused measures the delay.
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
