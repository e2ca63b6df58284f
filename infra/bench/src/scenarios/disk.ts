import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import type { BenchContext } from '../bench-context';

const sizes = `
  SELECT c.relname AS table, pg_table_size(c.oid)::float8 AS content, pg_indexes_size(c.oid)::float8 AS indexes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname IN ('fhir_store', 'fhir_store_keys') AND c.relkind IN ('r', 'm') AND c.relname NOT LIKE 'bench\\_%'
  ORDER BY 2 DESC`;

/** The average space of a resource on disk, in bytes: encrypted content, index rows, indexes and free space. */
export async function disk({ bare: { pool } }: BenchContext): Promise<Figure[]> {
  const { rows } = await pool.query<{ table: string; content: number; indexes: number }>(sizes);
  const counted = await pool.query<{ resources: number; plain: number }>(
    'SELECT (SELECT count(*) FROM fhir_store.resource)::float8 AS resources, (SELECT sum(plain_bytes) FROM fhir_store.block WHERE retired_at IS NULL)::float8 AS plain',
  );
  const { resources, plain } = counted.rows[0] ?? { resources: 0, plain: 0 };
  if (!resources) throw new Error('the store is empty');
  const value = rows.reduce((sum, { content, indexes }) => sum + content + indexes, 0) / resources;
  const each = rows
    .filter(({ content, indexes }) => (content + indexes) / resources >= 1)
    .map(
      ({ table, content, indexes }) =>
        `${table} ${Math.round(content / resources)} + indexes ${Math.round(indexes / resources)}`,
    );
  return [
    {
      scenario: 'disk',
      work: 'disk, a resource',
      unit: 'B',
      value,
      bare: plain / resources,
      goal: goals.disk,
      note: `bare: the same resource as a line of NDJSON; ${each.join(', ')}`,
    },
  ];
}
