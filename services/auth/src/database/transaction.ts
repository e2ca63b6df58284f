import type { Pool, PoolClient } from 'pg';

/** PostgreSQL chose this transaction to end a deadlock or a conflict: run again, it may succeed. */
const conflicts = new Set(['40001', '40P01']);
const attempts = 3;

/** Runs the work in one transaction: all of it is done when this returns, or nothing. After a deadlock the work is run again. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(pool, work);
    } catch (error) {
      if (attempt === attempts || !conflicts.has((error as { code?: string }).code ?? '')) throw error;
    }
  }
}

async function once<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
