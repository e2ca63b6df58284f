import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { metrics } from './registry';

interface MeasuredPool {
  pool: Pool;
  schema: string;
  max: number;
}

/** One process can have several pools on the same schema. */
const pools = new Set<MeasuredPool>();

poolGauge(
  'tributary_database_pool_connections',
  'The open connections of the pools of a schema.',
  ({ pool }) => pool.totalCount,
);
poolGauge(
  'tributary_database_pool_idle_connections',
  'The open connections that are idle.',
  ({ pool }) => pool.idleCount,
);
poolGauge(
  'tributary_database_pool_waiting',
  'The callers that wait for a connection.',
  ({ pool }) => pool.waitingCount,
);
poolGauge('tributary_database_pool_max_connections', 'The largest number of open connections.', ({ max }) => max);

/** Measures a pool for as long as it is open. */
export function measurePool(pool: Pool, schema: string, max: number): void {
  const measured = { pool, schema, max };
  pools.add(measured);
}

function poolGauge(name: string, help: string, valueOf: (pool: MeasuredPool) => number): void {
  new Gauge({
    name,
    help,
    labelNames: ['schema'],
    registers: [metrics],
    collect() {
      this.reset();
      for (const measured of pools) {
        if (measured.pool.ending) pools.delete(measured);
        else this.inc({ schema: measured.schema }, valueOf(measured));
      }
    },
  });
}
