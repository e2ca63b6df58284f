import type { DirectorySource } from '@tributary/contracts';
import { inTransaction } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';
import { bumpVersion } from '../directory/read-directory';

/** Returns the sources of the directory, by name. */
export async function listSources(pool: Pool): Promise<DirectorySource[]> {
  const { rows } = await pool.query<DirectorySource>(`
    select known.name, known.mode, known.origin, to_char(known.loaded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as loaded_at,
      (select count(*) from health_system system where system.source = known.name and system.removed_at is null)::int as total
    from source known order by known.name`);
  return rows;
}

/** What the last load of a source has stored; undefined before the first one. */
export async function selectSource(
  database: Pool | PoolClient,
  source: string,
): Promise<{ origin: string; etag: string | null; last_modified: string | null; loaded_at: string } | undefined> {
  const { rows } = await database.query(
    'select origin, etag, last_modified, loaded_at::text from source where name = $1',
    [source],
  );
  return rows[0];
}

/** @throws Error that names the sources which there are, when there is no such source */
export async function assertSource(pool: Pool, source: string): Promise<void> {
  const names = (await listSources(pool)).map(({ name }) => name);
  if (names.includes(source)) return;
  throw new Error(
    `the directory has no source ${source}: ${names.length === 0 ? 'nothing was loaded yet' : `its sources are ${names.join(', ')}`}`,
  );
}

/**
 * Removes all entries of a source. Loaded again, they get the same ids.
 * @returns the number of removed entries
 * @throws Error when there is no such source
 */
export async function removeSource(pool: Pool, source: string): Promise<number> {
  await assertSource(pool, source);
  return inTransaction(pool, async (client) => {
    await client.query('update source set etag = null, last_modified = null where name = $1', [source]);
    const removed = await client.query(
      'update health_system set removed_at = now() where source = $1 and removed_at is null',
      [source],
    );
    await client.query(bumpVersion);
    return removed.rowCount ?? 0;
  });
}
