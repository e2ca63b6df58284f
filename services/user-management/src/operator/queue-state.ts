import type { CollectionQueueState } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { hostOf } from '../health-systems/paused-hosts';

const selectHosts = `
SELECT host, collections, retrying, EXISTS (SELECT FROM paused_host p WHERE p.host = counted.host) AS is_paused
FROM (SELECT ${hostOf('fhir_base_url')} AS host, sum(collections)::int AS collections, sum(retrying)::int AS retrying
  FROM (SELECT fhir_base_url, count(*) AS collections, count(*) FILTER (WHERE retry_at > now()) AS retrying
    FROM connection WHERE status = 'collecting' GROUP BY 1) of_base
  GROUP BY 1) counted
ORDER BY collections DESC, host LIMIT 20`;

type Connections = CollectionQueueState['connections'];

/** Reading all connections takes seconds where there are millions: one count at a time, which is kept for a minute. */
const countLifetimeMs = 60_000;
const counts = new WeakMap<DataSource, { at: number; connections: Promise<Connections> }>();

function countByStatus(database: DataSource): Promise<Connections> {
  const kept = counts.get(database);
  if (kept && performance.now() - kept.at < countLifetimeMs) return kept.connections;
  const connections = readCounts(database);
  counts.set(database, { at: performance.now(), connections });
  connections.catch(() => counts.delete(database));
  return connections;
}

async function readCounts(database: DataSource): Promise<Connections> {
  const rows = (await database.query(
    'SELECT status, count(*)::int AS connections FROM connection GROUP BY status',
  )) as { status: string; connections: number }[];
  return Object.fromEntries(rows.map(({ status, connections }) => [status, connections]));
}

/** The hosts with most collections, and the connections by status: PostgreSQL has the state of each collection. */
export async function countCollections(
  database: DataSource,
): Promise<Pick<CollectionQueueState, 'hosts' | 'connections'>> {
  const hosts = (await database.query(selectHosts)) as CollectionQueueState['hosts'];
  return { hosts, connections: await countByStatus(database) };
}
