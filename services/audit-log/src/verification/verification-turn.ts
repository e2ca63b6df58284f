import { randomUUID } from 'node:crypto';
import type { VerificationPosition } from '@tributary/audit-log';
import type { Pool } from 'pg';
import { z } from 'zod';

/** How long a process that does not renew its turn keeps it, in milliseconds. */
export const turnMs = 600_000;

const storedPosition = z.object({
  checkpoint: z.int().positive(),
  previous: z.string().regex(/^[0-9a-f]{64}$/),
  signedRetirements: z.array(z.string()),
});

/** The turn of this process to verify a part of the log. */
export interface VerificationTurn {
  id: string;
  /** When the last complete verification ended, in epoch milliseconds. */
  verifiedAt: number | undefined;
  /** Where a verification that was not completed continues. */
  position: VerificationPosition | undefined;
}

/**
 * Takes the turn, if a verification is due and no other process has it. The update locks the row, so one of several
 * replicas gets it. Times in the future, which no process has stored, do not put a verification off.
 * @param intervalMs from the end of one complete verification to the start of the next
 */
export async function takeTurn(pool: Pool, intervalMs: number): Promise<VerificationTurn | undefined> {
  const id = randomUUID();
  const { rows } = await pool.query<{ at: number | null; position: unknown }>(
    `UPDATE audit.verification SET claimed_by = $1, claimed_until = clock_timestamp() + $2::float8 * interval '1 ms'
     WHERE (claimed_until IS NULL
         OR claimed_until NOT BETWEEN clock_timestamp() AND clock_timestamp() + $2::float8 * interval '1 ms')
       AND (verified_at IS NULL OR position IS NOT NULL
         OR verified_at NOT BETWEEN clock_timestamp() - $3::float8 * interval '1 ms' AND clock_timestamp())
     RETURNING (extract(epoch FROM verified_at) * 1000)::float8 AS at, position`,
    [id, turnMs, intervalMs],
  );
  const [row] = rows;
  if (!row) return undefined;
  const position = storedPosition.safeParse(row.position);
  return {
    id,
    verifiedAt: row.at ?? undefined,
    position: position.success ? { ...position.data, previous: Buffer.from(position.data.previous, 'hex') } : undefined,
  };
}

/** Keeps a turn that takes long. */
export async function keepTurn(pool: Pool, { id }: VerificationTurn): Promise<void> {
  await pool.query(
    `UPDATE audit.verification SET claimed_until = clock_timestamp() + $2::float8 * interval '1 ms' WHERE claimed_by = $1`,
    [id, turnMs],
  );
}

/** Ends a turn without a result, so that it is tried again. */
export async function giveUpTurn(pool: Pool, { id }: VerificationTurn): Promise<void> {
  await pool.query('UPDATE audit.verification SET claimed_by = NULL, claimed_until = NULL WHERE claimed_by = $1', [id]);
}

/** Ends a turn. @param next where the next turn continues; without it the verification is complete */
export async function endTurn(
  pool: Pool,
  { id }: VerificationTurn,
  next: VerificationPosition | undefined,
): Promise<void> {
  const position = next && JSON.stringify({ ...next, previous: next.previous.toString('hex') });
  await pool.query(
    `UPDATE audit.verification SET claimed_by = NULL, claimed_until = NULL, position = $2::jsonb,
       verified_at = CASE WHEN $2::jsonb IS NULL THEN clock_timestamp() ELSE verified_at END
     WHERE claimed_by = $1`,
    [id, position ?? null],
  );
}
