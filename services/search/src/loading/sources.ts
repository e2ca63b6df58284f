import type { ClientMode } from '@tributary/contracts';
import type { Pool } from 'pg';
import { bumpVersion } from './apply-statements';

export interface Source {
  name: string;
  mode: ClientMode;
  origin: string;
  loaded_at: string;
  total: number;
}

/** Returns the sources of the directory, by name. */
export async function listSources(pool: Pool): Promise<Source[]> {
  const { rows } = await pool.query<Source>(`
    select known.name, known.mode, known.origin, to_char(known.loaded_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as loaded_at,
      (select count(*) from health_system system where system.source = known.name and system.removed_at is null)::int as total
    from source known order by known.name`);
  return rows;
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
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('update source set etag = null, last_modified = null where name = $1', [source]);
    const removed = await client.query(
      'update health_system set removed_at = now() where source = $1 and removed_at is null',
      [source],
    );
    await client.query(bumpVersion);
    await client.query('commit');
    return removed.rowCount ?? 0;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}
