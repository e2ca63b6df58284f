import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { Grant } from './grant';

const leaseSeconds = 20;
const renewEveryMs = 5_000;

export interface HeldLease {
  /** Aborted when another process has taken the lease: no further request may be sent. */
  signal: AbortSignal;
  /** Never rejects: a lease that cannot be released expires. */
  release(): Promise<void>;
}

/**
 * Takes the lease under which a grant is refreshed. It is stored in the row of the grant (`refresh_lease`,
 * `refresh_lease_until`) and is not a row lock, which would occupy a database connection for as long as a slow health
 * system takes to respond. The holder renews the lease; when the holder dies, it expires.
 * @returns undefined when another process holds the lease, or has refreshed the grant since it was read
 */
export async function takeRefreshLease(
  database: DataSource,
  { grantId, tokenId }: Pick<Grant, 'grantId' | 'tokenId'>,
): Promise<HeldLease | undefined> {
  const lease = randomUUID();
  const taken = await changedRows(
    database,
    `UPDATE health_system_grant SET refresh_lease = $3, refresh_lease_until = now() + $4 * interval '1 second'
     WHERE grant_id = $1 AND token_id = $2 AND (refresh_lease_until IS NULL OR refresh_lease_until < now())
     RETURNING grant_id`,
    [grantId, tokenId, lease, leaseSeconds],
  );
  if (taken.length === 0) return undefined;
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
