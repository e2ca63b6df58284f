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

/** What the collections of all clients wait for. PostgreSQL has the state of each. */
export class CollectionCounts {
  #byStatus: { at: number; connections: Promise<Connections> } | undefined;

  constructor(private readonly database: DataSource) {}

  /** The hosts with most collections, of now, and the connections by status, at most a minute old. */
  async read(): Promise<Pick<CollectionQueueState, 'hosts' | 'connections'>> {
    const hosts = (await this.database.query(selectHosts)) as CollectionQueueState['hosts'];
    return { hosts, connections: await this.#countByStatus() };
  }

  #countByStatus(): Promise<Connections> {
    if (this.#byStatus && performance.now() - this.#byStatus.at < countLifetimeMs) return this.#byStatus.connections;
    const connections = this.#readByStatus();
    this.#byStatus = { at: performance.now(), connections };
    connections.catch(() => (this.#byStatus = undefined));
    return connections;
  }

  async #readByStatus(): Promise<Connections> {
    const rows = (await this.database.query(
      'SELECT status, count(*)::int AS connections FROM connection GROUP BY status',
    )) as { status: string; connections: number }[];
    return Object.fromEntries(rows.map(({ status, connections }) => [status, connections]));
  }
}
