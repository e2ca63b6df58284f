import { databaseClock } from '../postgres/statement';

/** The class of the advisory locks of writers. The next class is that of the lock for raising the floor. */
const WRITER_LOCK = 0x74726277;
/** Lock numbers are 32-bit integers: the time modulo this period of 24 days. */
const PERIOD = 2 ** 31;

/*
 * The snapshot time T: every version with last_updated < T is stored and never changes, and every write that was
 * acknowledged before the call has last_updated < T, unless a writing transaction stays open.
 * infra/docs/snapshot-time.md explains the protocol.
 *
 * A writer
 *   W1  reads the clock and the floor: s is the later of the two,
 *   W2  takes the shared advisory lock (WRITER_LOCK, s), which it holds until its commit is visible,
 *   W3  reads the floor: executedAt = the later of s and the floor,
 *   W4  writes with a time at >= executedAt, and commits, or writes nothing.
 * snapshot_time(lead)
 *   T1  candidate = the later of the clock and the floor, plus lead + 1,
 *   T2  sleeps for lead + 2 milliseconds, until the clock has reached the candidate,
 *   T3  raises the floor to the candidate, if it is lower,
 *   T4  reads the locks of all writers at one instant: T = the earlier of the candidate and the earliest s among them.
 *
 * Exact: take a writer and the instant of T4. If it held its lock then, T <= s <= executedAt <= at. If it took its lock
 * later, it read the floor later, which T3 had raised before: T <= candidate <= floor <= executedAt <= at. If it had
 * released its lock before, its rows are committed and visible to every statement that begins afterwards. So no version
 * that is not yet visible has a time before T. The argument uses the order of the locks only: no clock has to be right,
 * and a clock that is set back does no harm.
 * Complete: a write is acknowledged once at <= lead + the later of the clock and the floor (`waitOutLead` in
 * write/commit-timestamps.ts), so T1 gives a later candidate. A write with a larger lead waits for the clock; while the
 * floor is ahead of a clock that was set back, it raises the floor. A writer may hold T back below the candidate. The
 * caller then repeats the call until T is after the acknowledged writes (export/snapshot-time.ts): writers that began
 * after T3 do not hold the next T back, as their s is not before the floor.
 *
 * Transactions that only read take no such lock, and neither do writers that wait for the lock of a record. pg_locks
 * shows locks to every role, and a transaction-level lock needs no session, so a pooler in transaction mode works.
 * T2 keeps the floor behind a clock that has not been set back. Without it, snapshots would push the times of writes
 * ahead of the clock.
 */

/** SQL for the floor. A role that may not read it gets the other value. */
const floorOr = (other: string): string =>
  `coalesce(pg_sequence_last_value('fhir_store.snapshot_floor'::regclass), ${other})`;

/** SQL for the later of the clock and the floor, in epoch milliseconds. */
export const latestTime = `greatest(${databaseClock}, ${floorOr('0')})`;

/**
 * W2 and W3, after W1: returns `executedAt`. `s` is a column of a subquery that reads `latestTime` once (OFFSET 0).
 * CASE keeps the order: the floor is read while the lock is held. A role that may not read the floor gets the largest
 * bigint, so that its write fails.
 */
export const writeTime = `greatest(s, CASE WHEN pg_advisory_xact_lock_shared(${WRITER_LOCK}, (s % ${PERIOD})::integer) IS NOT NULL
    THEN ${floorOr(String(2n ** 63n - 1n))} END)`;

/** The floor and `snapshot_time(lead)`. */
export const createSnapshotTime: readonly string[] = [
  `CREATE SEQUENCE fhir_store.snapshot_floor AS bigint MINVALUE 0 START WITH 0`,
  `SELECT setval('fhir_store.snapshot_floor', 0)`,
  `CREATE FUNCTION fhir_store.snapshot_time(lead integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    candidate bigint := greatest(${databaseClock}, (SELECT last_value FROM fhir_store.snapshot_floor)) + lead + 1;
    -- Far enough ahead of all locks, and less than a period.
    reference bigint := candidate + ${PERIOD / 2};
    earliest bigint;
  BEGIN
    PERFORM pg_sleep((lead + 2) / 1000.0);
    -- The floor matters when the clock is set back; it need not survive a crash of the machine at the same moment.
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(${WRITER_LOCK + 1}, 0);
    PERFORM setval('fhir_store.snapshot_floor', candidate) FROM fhir_store.snapshot_floor WHERE last_value < candidate;
    SELECT min(reference - (reference - objid::bigint) % ${PERIOD}) INTO earliest FROM pg_locks
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid::bigint = ${WRITER_LOCK} AND objsubid = 2 AND granted;
    RETURN least(candidate, earliest);
  END $$`,
];
