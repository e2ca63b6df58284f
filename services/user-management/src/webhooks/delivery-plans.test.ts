import { deliveryListQuery } from '@tributary/contracts';
import { readConfig } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { webhookScene } from '../../test/webhook-scene';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { DeliveryLog } from './delivery-log';
import type { WebhookEndpoint } from './webhook-endpoint';

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** The rows that the scans of a plan read. */
const rowsRead = (node: PlanNode): number =>
  (node['Relation Name'] === undefined
    ? 0
    : (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']) +
  (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);

const scene = webhookScene('3600');
let database: DataSource;
beforeAll(async () => {
  ({ database } = await openServiceDatabase(readConfig(vaultConfig, scene.service.environment)));
});
afterAll(() => database.destroy());

/** The rows that the first statement of `run` reads. */
async function rowsReadBy(run: (log: DeliveryLog) => Promise<unknown>): Promise<number> {
  const query = jest.spyOn(database, 'query');
  await run(new DeliveryLog(database));
  const [statement, values] = query.mock.calls[0] as [string, unknown[]];
  query.mockRestore();
  const [explained] = (await database.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`, values)) as [
    { 'QUERY PLAN': [{ Plan: PlanNode }] },
  ];
  return rowsRead(explained['QUERY PLAN'][0].Plan);
}

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

it('reads about as many rows as a page or a replay has, with each filter', async () => {
  // An event per minute; the first 60 of 6000 are of another type, and failed or were missed.
  await database.query(
    `WITH event AS (
       INSERT INTO webhook_event (event_id, client_id, type, body, created_at)
       SELECT gen_random_uuid(), $2, CASE WHEN n <= 60 THEN 'export.completed' ELSE 'user.deleted' END, '{}',
         now() - (6000 - n) * interval '1 minute'
       FROM generate_series(1, 6000) n RETURNING *)
     INSERT INTO webhook_delivery (endpoint_id, event_id, sequence, type, created_at, state)
     SELECT $1, event_id, sequence, type, created_at,
       CASE WHEN type = 'user.deleted' THEN 'delivered' WHEN sequence % 2 = 0 THEN 'failed' ELSE 'missed' END
     FROM event`,
    [scene.endpointId, scene.person.clientId],
  );
  await database.query('ANALYZE webhook_event, webhook_delivery');
  const pageFilters = [
    {},
    { state: 'failed' },
    { state: 'missed', until: minutesAgo(10) },
    { state: 'pending' },
    { state: 'delivered' },
    { event: 'export.completed' },
    { event: 'export.completed', state: 'failed' },
    { event: 'export.completed', since: minutesAgo(60) },
    { until: minutesAgo(5900) },
    { since: minutesAgo(10) },
    { since: minutesAgo(3010), until: minutesAgo(3000) },
  ];
  for (const filters of pageFilters) {
    const query = deliveryListQuery.parse(filters);
    const rows = await rowsReadBy((log) => log.list(scene.endpointId, query));
    expect({ filters, rows, isBounded: rows <= 4 * query.limit }).toMatchObject({ filters, isBounded: true });
  }
  const log = new DeliveryLog(database);
  const { nextCursor: cursor } = await log.list(scene.endpointId, deliveryListQuery.parse({ until: minutesAgo(3000) }));
  const nextPage = deliveryListQuery.parse({ cursor });
  expect(await rowsReadBy(() => log.list(scene.endpointId, nextPage))).toBeLessThan(80);

  const endpoint = { endpointId: scene.endpointId, clientId: scene.person.clientId, events: null } as WebhookEndpoint;
  const ranges = [
    { since: new Date(minutesAgo(20)) },
    { since: new Date(minutesAgo(5970)), until: new Date(minutesAgo(5950)) },
    { since: new Date(minutesAgo(6000)), state: 'failed' as const },
  ];
  for (const range of ranges) {
    const rows = await rowsReadBy(() => log.replayRange(endpoint, range));
    expect({ range, rows, isBounded: rows <= 80 }).toMatchObject({ range, isBounded: true });
  }
});
