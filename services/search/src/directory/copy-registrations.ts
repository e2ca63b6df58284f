import type { RegistrationsClient } from '@tributary/contracts';
import { inTransaction } from '@tributary/service-kit';
import type { Pool } from 'pg';
import { bumpVersion } from './read-directory';

/**
 * Copies the patterns of registrations from user-management into the database of search, so that searches need neither
 * a call nor user-management, and all replicas rank alike. A change is a new version of the directory. The lock is held
 * during the request to user-management: otherwise a slow replica could replace new patterns with those that it read
 * before.
 * @returns whether they changed; false also when another replica copies them at the moment
 */
export function copyRegistrations(pool: Pool, registrations: Pick<RegistrationsClient, 'patterns'>): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('copy the registered patterns', 0)) as locked`,
    );
    if (!rows[0]!.locked) return false;
    const patterns = await registrations.patterns();
    const removed = await client.query('delete from registered_pattern where pattern <> all($1::text[])', [patterns]);
    const added = await client.query(
      'insert into registered_pattern (pattern) select unnest($1::text[]) on conflict do nothing',
      [patterns],
    );
    const changed = (removed.rowCount ?? 0) + (added.rowCount ?? 0) > 0;
    if (changed) await client.query(bumpVersion);
    return changed;
  });
}
