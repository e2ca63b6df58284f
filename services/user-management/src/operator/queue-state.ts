import type { CollectionQueueState } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { hostOf } from '../health-systems/paused-hosts';

const selectHosts = `
SELECT host, collections, retrying, EXISTS (SELECT FROM paused_host p WHERE p.host = counted.host) AS is_paused
FROM (SELECT ${hostOf('fhir_base_url')} AS host, count(*)::int AS collections,
    (count(*) FILTER (WHERE retry_at > now()))::int AS retrying
  FROM connection WHERE status = 'collecting' GROUP BY 1) counted
ORDER BY collections DESC, host LIMIT 20`;

/** The hosts with most collections, and the connections by status: PostgreSQL has the state of each collection. */
export async function countCollections(
  database: DataSource,
): Promise<Pick<CollectionQueueState, 'hosts' | 'connections'>> {
  const hosts = (await database.query(selectHosts)) as CollectionQueueState['hosts'];
  const counts = (await database.query(
    'SELECT status, count(*)::int AS connections FROM connection GROUP BY status',
  )) as { status: string; connections: number }[];
  return { hosts, connections: Object.fromEntries(counts.map(({ status, connections }) => [status, connections])) };
}
