import { createDatabase } from '@tributary/test-environment';
import { Pool } from 'pg';
import { recordStorageMigrations } from './migrations';
import { StandardNames1763850000000 } from './standard-names';

/** The names of tables, columns, indexes and constraints of the schema. */
async function names(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'fhir_store'::regnamespace
    UNION ALL SELECT attrelid::regclass || '.' || attname FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
      WHERE relnamespace = 'fhir_store'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0
    UNION ALL SELECT conrelid::regclass || ' ' || conname FROM pg_constraint WHERE connamespace = 'fhir_store'::regnamespace
    ORDER BY 1`);
  return rows.map(({ name }) => name);
}

it.each([0, 3])('renames all earlier names, and can be reverted, with %i partitions', async (partitions) => {
  const database = await createDatabase();
  const pool = new Pool({ connectionString: database.url });
  pool.on('error', () => undefined);
  try {
    let before: string[] = [];
    for (const Migration of recordStorageMigrations({ partitions })) {
      if (Migration.name === StandardNames1763850000000.name) before = await names(pool);
      await new Migration().up(pool);
      // Later migrations add names of their own.
      if (Migration.name === StandardNames1763850000000.name) break;
    }
    const after = await names(pool);
    expect(after).toHaveLength(before.length);
    expect(before.filter((name) => /^(fhir_store\.)?version(_|\b)|kind/.test(name)).length).toBeGreaterThan(5);
    expect(after.filter((name) => /^(fhir_store\.)?version(_|\b)|kind|[._](terms|lines)\b/.test(name))).toEqual(
      after.filter((name) => name.endsWith('.blind_terms')),
    );
    await new StandardNames1763850000000().down(pool);
    expect(await names(pool)).toEqual(before);
  } finally {
    await pool.end();
    await database.drop();
  }
});
