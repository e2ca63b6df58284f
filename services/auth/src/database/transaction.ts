import type { Pool, PoolClient } from 'pg';

/** SQLSTATE serialization_failure and deadlock_detected: the transaction may succeed when it is run again. */
const retryableStates = new Set(['40001', '40P01']);
const maxAttempts = 3;

/**
 * Runs the work in one transaction and commits it. The work is run again after a deadlock, so it must have no effect
 * outside the database.
 */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptTransaction(pool, work);
    } catch (error) {
      if (attempt === maxAttempts || !retryableStates.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

async function attemptTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let rollbackError: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      rollbackError = failure;
    });
    throw error;
  } finally {
    // A connection that cannot roll back is closed instead of being returned to the pool.
    client.release(rollbackError);
  }
}
