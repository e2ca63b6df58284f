import type { Pool, PoolClient, QueryResult } from 'pg';
import { RecordDestroyedError } from '../errors';
import { type Row, withConnection } from '../postgres/statement';
import { beginAndLockRecord } from './batch-statements';

/**
 * Runs the work in a transaction that holds the record.
 * @param work gets the database's clock as of when the lock was got; a time of writing must not lie before it
 * @throws RecordDestroyedError
 */
export function inRecordTransaction<T>(pool: Pool, userId: number, work: (connection: PoolClient, ran: number) => Promise<T>): Promise<T> {
  return withConnection(pool, async (connection) => {
    try {
      const result = await work(connection, await lockRecord(connection, userId));
      await connection.query('COMMIT');
      return result;
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}

async function lockRecord(connection: PoolClient, userId: number): Promise<number> {
  const results = (await connection.query({ text: beginAndLockRecord(userId), rowMode: 'array' })) as unknown as QueryResult<Row>[];
  const [, record, clock] = results;
  if (!record?.rows[0]?.[0]) throw new RecordDestroyedError(userId);
  return Number(clock?.rows[0]?.[0]);
}
