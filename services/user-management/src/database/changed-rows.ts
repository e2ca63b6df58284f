import type { DataSource, EntityManager } from 'typeorm';

/** The rows of an `UPDATE … RETURNING` or `DELETE … RETURNING`: TypeORM returns them in a pair with their number. */
export async function changedRows<Row>(on: DataSource | EntityManager, sql: string, values: unknown[]): Promise<Row[]> {
  const [rows] = (await on.query(sql, values)) as [Row[], number];
  return rows;
}
