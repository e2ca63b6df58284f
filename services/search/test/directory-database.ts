import { openPool } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import type { Pool } from 'pg';
import { migrateSearchDatabase, schema } from '../src/directory/migrations';

/** An empty directory on a database of its own. */
export interface DirectoryDatabase {
  readonly pool: Pool;
  close(): Promise<void>;
}

/** @param connections that the pool opens at most */
export async function openDirectory(connections: number): Promise<DirectoryDatabase> {
  const database = await createDatabase();
  await migrateSearchDatabase(database.url);
  const pool = openPool(database.url, schema, { size: connections });
  return {
    pool,
    close: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
