import type { HealthSystemEndpoint } from '@tributary/contracts';
import type { Pool, PoolClient } from 'pg';
import type { DirectoryEntry } from './directory-entry';

export type StoredEntry = Omit<DirectoryEntry, 'portals'> & { id: number; portals: string[] };

interface Row {
  id: string;
  name: string;
  address: string;
  aliases: string[];
  addresses: DirectoryEntry['addresses'];
  parents: string[];
  portals: string[];
  logo: string | null;
  endpoints: HealthSystemEndpoint[];
}

const fetchSize = 500;

/** Returns the version of the directory, which grows with every change. */
export async function selectDirectoryVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ version: string }>('select version from directory_version');
  return Number(rows[0]!.version);
}

/**
 * Reads all entries in the order of their names, in one snapshot of the database, by a cursor.
 * @returns the version of the directory in that snapshot
 */
export async function readDirectory(pool: Pool, onEntry: (entry: StoredEntry) => Promise<void>): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    const { rows: versions } = await client.query<{ version: string }>('select version from directory_version');
    await declareCursor(client);
    for (;;) {
      const { rows } = await client.query<Row>(`fetch ${fetchSize} from entries`);
      for (const { logo, id, ...row } of rows)
        await onEntry({ ...row, id: Number(id), ...(logo === null ? {} : { logo }) });
      if (rows.length < fetchSize) break;
    }
    await client.query('commit');
    client.release();
    return Number(versions[0]!.version);
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function declareCursor(client: PoolClient): Promise<void> {
  await client.query(`
    declare entries no scroll cursor for
    select id::text, name, address, aliases, addresses, parents, coalesce(jsonb_path_query_array(portals, '$[*].name'), '[]') as portals, logo, endpoints
    from health_system where removed_at is null order by sort_key, name, id`);
}
