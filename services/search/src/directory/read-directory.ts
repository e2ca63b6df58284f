import { type ClientMode, type HealthSystemEndpoint, normalizedBase, registrationPatterns } from '@tributary/contracts';
import { inTransaction } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';
import { unavailableAfterFailures } from '../verification/endpoint-checks';
import type { DirectoryEntry } from './directory-entry';

export type StoredEntry = Omit<DirectoryEntry, 'portals'> & {
  id: number;
  mode: ClientMode;
  portals: string[];
  /** Whether our client is registered at one of the endpoints. */
  connectable: boolean;
  /** Whether one of the endpoints is not unavailable, or there is no endpoint. */
  available: boolean;
};

interface Row {
  id: string;
  mode: ClientMode;
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
export async function selectDirectoryVersion(database: Pool | PoolClient): Promise<number> {
  const { rows } = await database.query<{ version: string }>('select version from directory_version');
  return Number(rows[0]!.version);
}

export const bumpVersion = 'update directory_version set version = version + 1';

/**
 * Reads all entries in the order of their names, in one snapshot of the database, by a cursor.
 * @param onFailure called with an entry that cannot be read, or at which `onEntry` fails; then the next one follows
 * @returns the version of the directory in that snapshot
 */
export async function readDirectory(
  pool: Pool,
  onEntry: (entry: StoredEntry) => Promise<void>,
  onFailure: (id: number, error: unknown) => void = (_id, error) => {
    throw error;
  },
): Promise<number> {
  const read = async (client: PoolClient): Promise<number> => {
    const version = await selectDirectoryVersion(client);
    const isConnectable = await connectableBases(client);
    const isUnavailable = await unavailableBases(client);
    await client.query(declareCursor);
    for (;;) {
      const { rows } = await client.query<Row>(`fetch ${fetchSize} from entries`);
      for (const { logo, id, ...row } of rows)
        try {
          await onEntry({
            ...row,
            id: Number(id),
            ...(logo === null ? {} : { logo }),
            connectable: row.endpoints.some(({ fhir_base_url }) => isConnectable(fhir_base_url)),
            available:
              row.endpoints.length === 0 || row.endpoints.some(({ fhir_base_url }) => !isUnavailable(fhir_base_url)),
          });
        } catch (error) {
          onFailure(Number(id), error);
        }
      if (rows.length < fetchSize) return version;
    }
  };
  return inTransaction(pool, read, 'isolation level repeatable read read only');
}

const declareCursor = `
  declare entries no scroll cursor for
  select system.id::text, source.mode, system.name, address, aliases, addresses, parents, coalesce(jsonb_path_query_array(portals, '$[*].name'), '[]') as portals, logo, endpoints
  from health_system system join source on source.name = system.source
  where removed_at is null order by sort_key, system.name, id`;

/** Returns a predicate: whether our client is registered at a FHIR base. Thousands of health systems share a base. */
async function connectableBases(client: PoolClient): Promise<(fhirBaseUrl: string) => boolean> {
  const { rows } = await client.query<{ pattern: string }>('select pattern from registered_pattern');
  const registered = new Set(rows.map(({ pattern }) => pattern));
  if (registered.size === 0) return () => false;
  const known = new Map<string, boolean>();
  return (base) => {
    const before = known.get(base);
    if (before !== undefined) return before;
    const isRegistered = registrationPatterns(base).some((pattern) => registered.has(pattern));
    known.set(base, isRegistered);
    return isRegistered;
  };
}

/** Returns a predicate: whether the last checks of a FHIR base failed. */
async function unavailableBases(client: PoolClient): Promise<(fhirBaseUrl: string) => boolean> {
  const { rows } = await client.query<{ address: string }>(
    `select address from endpoint_check where failures >= ${unavailableAfterFailures}`,
  );
  const unavailable = new Set(rows.map(({ address }) => address));
  return unavailable.size === 0 ? () => false : (base) => unavailable.has(normalizedBase(base));
}
