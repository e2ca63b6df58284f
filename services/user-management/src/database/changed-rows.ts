import type { DataSource, EntityManager } from 'typeorm';

/** The rows of an `UPDATE … RETURNING` or `DELETE … RETURNING`: TypeORM returns them in a pair with their number. */
export async function changedRows<Row>(on: DataSource | EntityManager, sql: string, values: unknown[]): Promise<Row[]> {
  const [rows] = (await on.query(sql, values)) as [Row[], number];
  return rows;
}

/** Repeats a statement that takes up to `batchSize` rows until it takes fewer. */
export async function repeatFullBatches(batchSize: number, takeBatch: () => Promise<unknown[]>): Promise<void> {
  while ((await takeBatch()).length === batchSize);
}

/**
 * Deletes rows in batches, so that no statement locks many. Rows that are locked are skipped.
 * @param key the columns of the primary key
 * @param condition of the rows, in SQL
 */
export function deleteInBatches(
  database: DataSource,
  { table, key, condition }: { table: string; key: string; condition: string },
  values: unknown[] = [],
): Promise<void> {
  const batchSize = 1000;
  const statement = `DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) RETURNING true`;
  return repeatFullBatches(batchSize, () => changedRows(database, statement, values));
}
