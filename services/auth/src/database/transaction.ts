import { inTransaction } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';

/** SQLSTATE serialization_failure and deadlock_detected: the transaction may succeed when it is run again. */
const retryableStates = new Set(['40001', '40P01']);
const maxAttempts = 3;

/**
 * Runs the work in one transaction and commits it. The work is run again after a deadlock, so it must have no effect
 * outside the database.
 */
export async function inRetriedTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, work);
    } catch (error) {
      if (attempt === maxAttempts || !retryableStates.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}
