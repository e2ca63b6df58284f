import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { Grant } from './grant';

const leaseSeconds = 20;
const renewEveryMs = 5_000;

export interface HeldLease {
  id: string;
  /** Aborted when another process has taken the lease: no further request may be sent. */
  signal: AbortSignal;
  /** Never rejects: a lease that cannot be given back runs out. */
  giveBack(): Promise<void>;
}

/**
 * The lock under which a grant is refreshed, kept in its row. It is not a row lock: that would hold a database connection for as long as
 * a slow health system takes, and a few of those would use up the pool. The holder renews it; when its holder dies the lease runs out.
 */
export class RefreshLease {
  constructor(private readonly source: DataSource) {}

  /** @returns the lease; undefined when another has it, or has refreshed the grant since it was read */
  async take({ grantId, tokenId }: Pick<Grant, 'grantId' | 'tokenId'>): Promise<HeldLease | undefined> {
    const id = randomUUID();
    const taken = await changedRows(
      this.source,
      `UPDATE health_system_grant SET refresh_lease = $3, refresh_lease_until = now() + $4 * interval '1 second'
       WHERE grant_id = $1 AND token_id = $2 AND (refresh_lease_until IS NULL OR refresh_lease_until < now()) RETURNING grant_id`,
      [grantId, tokenId, id, leaseSeconds],
    );
    return taken.length === 1 ? this.#held(grantId, id) : undefined;
  }

  #held(grantId: string, id: string): HeldLease {
    const lost = new AbortController();
    const timer = setInterval(() => {
      // While the database is away nobody else can take the lease either.
      this.#renew(grantId, id).then(
        (isHeld) => !isHeld && lost.abort(),
        () => undefined,
      );
    }, renewEveryMs);
    return {
      id,
      signal: lost.signal,
      giveBack: async () => {
        clearInterval(timer);
        await this.source
          .query(
            'UPDATE health_system_grant SET refresh_lease = NULL, refresh_lease_until = NULL WHERE grant_id = $1 AND refresh_lease = $2',
            [grantId, id],
          )
          .catch(() => undefined);
      },
    };
  }

  async #renew(grantId: string, id: string): Promise<boolean> {
    const renewed = await changedRows(
      this.source,
      `UPDATE health_system_grant SET refresh_lease_until = now() + $3 * interval '1 second' WHERE grant_id = $1 AND refresh_lease = $2 RETURNING grant_id`,
      [grantId, id, leaseSeconds],
    );
    return renewed.length === 1;
  }
}
