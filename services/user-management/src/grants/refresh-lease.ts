import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { Grant } from './grant';
import { beginRefresh, secondsUntilRefresh } from './refresh-schedule';

const leaseSeconds = 20;
const renewEveryMs = 5_000;

export interface HeldLease {
  /** Aborted when another process has taken the lease: no further request may be sent. */
  signal: AbortSignal;
  /** Never rejects: a lease that cannot be released expires. */
  release(): Promise<void>;
}

export interface NotDue {
  /** Seconds. */
  retryAfterSeconds: number;
}

/**
 * Takes the lease under which a grant is refreshed. It is stored in the row of the grant (`refresh_lease`,
 * `refresh_lease_until`) and is not a row lock, which would occupy a database connection for as long as a slow health
 * system takes to respond. The holder renews the lease; when the holder is killed, it expires. The request counts from
 * here (`refresh-schedule.ts`).
 * @param isTokenUseless whether the health system rejected the access token in its first request
 * @returns undefined when another process holds the lease, or has refreshed the grant since it was read
 */
export async function takeRefreshLease(
  database: DataSource,
  { grantId, tokenId }: Grant,
  isTokenUseless: boolean,
): Promise<HeldLease | NotDue | undefined> {
  const lease = randomUUID();
  // The SELECT reads the row as it was before the UPDATE.
  const [found] = (await database.query(
    `WITH taken AS (
       UPDATE health_system_grant SET refresh_lease = $3, refresh_lease_until = now() + $4 * interval '1 second',
         ${beginRefresh('$5')}
       WHERE grant_id = $1 AND token_id = $2 AND (refresh_lease_until IS NULL OR refresh_lease_until < now())
         AND (next_refresh_at IS NULL OR next_refresh_at <= now())
       RETURNING grant_id)
     SELECT EXISTS (SELECT FROM taken) AS is_taken,
       coalesce(refresh_lease_until < now(), true) AND next_refresh_at > now() AS is_not_due, ${secondsUntilRefresh}
     FROM health_system_grant WHERE grant_id = $1 AND token_id = $2`,
    [grantId, tokenId, lease, leaseSeconds, isTokenUseless],
  )) as { is_taken: boolean; is_not_due: boolean | null; seconds: number | null }[];
  if (!found?.is_taken) return found?.is_not_due ? { retryAfterSeconds: found.seconds ?? 1 } : undefined;
  const lost = new AbortController();
  const timer = setInterval(() => {
    // A failed query does not end the lease: while the database is unavailable, no other process can take it either.
    renew(database, grantId, lease).then(
      (isHeld) => !isHeld && lost.abort(),
      () => undefined,
    );
  }, renewEveryMs);
  return {
    signal: lost.signal,
    release: async () => {
      clearInterval(timer);
      await database
        .query(
          `UPDATE health_system_grant SET refresh_lease = NULL, refresh_lease_until = NULL
           WHERE grant_id = $1 AND refresh_lease = $2`,
          [grantId, lease],
        )
        .catch(() => undefined);
    },
  };
}

async function renew(database: DataSource, grantId: string, lease: string): Promise<boolean> {
  const renewed = await changedRows(
    database,
    `UPDATE health_system_grant SET refresh_lease_until = now() + $3 * interval '1 second'
     WHERE grant_id = $1 AND refresh_lease = $2 RETURNING grant_id`,
    [grantId, lease, leaseSeconds],
  );
  return renewed.length === 1;
}
