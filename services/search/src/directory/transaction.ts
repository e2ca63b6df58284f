import type { Pool, PoolClient } from 'pg';

/** Runs work in a transaction. The connection of one that fails is closed, which rolls it back. */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  characteristics = '',
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(`begin ${characteristics}`);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
