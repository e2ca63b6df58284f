import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { Grant } from './grant';

/** Longer than a refresh can take: its requests together end before. */
const leaseSeconds = 60;

/**
 * The lock under which a grant is refreshed, kept in its row. It is not a row lock: that would hold a database connection for as long as
 * a slow health system takes, and a few of those would use up the pool. When its holder dies the lease runs out.
 */
export class RefreshLease {
  constructor(private readonly source: DataSource) {}

  /** @returns the lease; undefined when another has it, or has refreshed the grant since it was read */
  async take({ grantId, tokenId }: Pick<Grant, 'grantId' | 'tokenId'>): Promise<string | undefined> {
    const lease = randomUUID();
    const taken = await changedRows(
      this.source,
      `UPDATE health_system_grant SET refresh_lease = $3, refresh_lease_until = now() + $4 * interval '1 second'
       WHERE grant_id = $1 AND token_id = $2 AND (refresh_lease_until IS NULL OR refresh_lease_until < now()) RETURNING grant_id`,
      [grantId, tokenId, lease, leaseSeconds],
    );
    return taken.length === 1 ? lease : undefined;
  }

  async giveBack(grantId: string, lease: string): Promise<void> {
    await this.source.query('UPDATE health_system_grant SET refresh_lease = NULL, refresh_lease_until = NULL WHERE grant_id = $1 AND refresh_lease = $2', [grantId, lease]);
  }
}
