import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';

/** How long a process that does not renew its turn keeps it, in milliseconds: that of a killed one ends by itself. */
const turnMs = 120_000;

/** From the end of one verification to the start of the next. */
export const verificationIntervalHours = 24;

/** The turn of this process to verify the log. One of all replicas has it, as the row is the only one of its table. */
export interface VerificationTurn {
  id: string;
  /** When the last verification ended, in epoch milliseconds. */
  verifiedAt: number | undefined;
}

/**
 * Takes the turn, if a verification is due and no other process has it. The update locks the row, so one of several
 * replicas gets it. Times in the future, which no process has stored, do not put a verification off.
 * @param intervalMs from the end of the last periodic verification to the start of this one; 0: it is due now
 * @param isOverdue a verification is due, whatever the database says
 */
export async function takeTurn(
  pool: Pool,
  intervalMs: number,
  isOverdue: boolean,
): Promise<VerificationTurn | undefined> {
  const id = randomUUID();
  const { rows } = await pool.query<{ at: number | null }>(
    `UPDATE audit.verification SET claimed_by = $1, claimed_until = clock_timestamp() + $2::float8 * interval '1 ms'
     WHERE $4 OR (
       (claimed_until IS NULL
         OR claimed_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + $2::float8 * interval '1 ms')
       AND (verified_at IS NULL
         OR verified_at NOT BETWEEN clock_timestamp() - $3::float8 * interval '1 ms' AND clock_timestamp()))
     RETURNING (extract(epoch FROM verified_at) * 1000)::float8 AS at`,
    [id, turnMs, intervalMs, isOverdue],
  );
  return rows[0] && { id, verifiedAt: rows[0].at ?? undefined };
}

/** Keeps a turn until the work ends. Where the periodic verification does not end, it is tried again. */
export async function inTurn<T>(
  pool: Pool,
  turn: VerificationTurn,
  kind: 'periodic' | 'on demand',
  work: () => Promise<T>,
): Promise<T> {
  const keeping = setInterval(() => void keepTurn(pool, turn).catch(() => undefined), turnMs / 4).unref();
  let isVerified = false;
  try {
    const result = await work();
    isVerified = kind === 'periodic';
    return result;
  } finally {
    clearInterval(keeping);
    await endTurn(pool, turn, isVerified);
  }
}

async function keepTurn(pool: Pool, { id }: VerificationTurn): Promise<void> {
  await pool.query(
    `UPDATE audit.verification SET claimed_until = clock_timestamp() + $2::float8 * interval '1 ms' WHERE claimed_by = $1`,
    [id, turnMs],
  );
}

async function endTurn(pool: Pool, { id }: VerificationTurn, isVerified: boolean): Promise<void> {
  await pool.query(
    `UPDATE audit.verification SET claimed_by = NULL, claimed_until = NULL,
       verified_at = CASE WHEN $2 THEN clock_timestamp() ELSE verified_at END WHERE claimed_by = $1`,
    [id, isVerified],
  );
}

/** The periodic verification, as the database knows it. */
export interface VerificationState {
  /** When the last one ended, in epoch milliseconds. A time in the future, which no process has stored, is none. */
  verifiedAt: number | undefined;
  /** Also one that an operator has asked for. */
  isRunning: boolean;
  /** By the clock of the database, in epoch milliseconds. */
  now: number;
}

export async function readVerification(pool: Pick<Pool, 'query'>): Promise<VerificationState> {
  const { rows } = await pool.query<Omit<VerificationState, 'verifiedAt'> & { verifiedAt: number | null }>(
    `SELECT CASE WHEN verified_at BETWEEN to_timestamp(0) AND clock_timestamp()
         THEN (extract(epoch FROM verified_at) * 1000)::float8 END AS "verifiedAt",
       coalesce(claimed_until BETWEEN clock_timestamp() AND clock_timestamp() + $1::float8 * interval '1 ms', false)
         AS "isRunning",
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now
     FROM audit.verification`,
    [turnMs],
  );
  const [row] = rows;
  if (!row) throw new Error('audit.verification has no row: provision the database');
  return { ...row, verifiedAt: row.verifiedAt ?? undefined };
}
