import type { Pool, PoolClient } from 'pg';

/**
 * Runs work in one transaction and commits it.
 * @param characteristics such as `ISOLATION LEVEL REPEATABLE READ READ ONLY`
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  characteristics = '',
): Promise<T> {
  const client = await pool.connect();
  let rollbackError: Error | undefined;
  try {
    await client.query(`BEGIN ${characteristics}`);
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
