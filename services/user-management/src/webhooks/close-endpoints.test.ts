import { readConfig } from '@tributary/service-kit';
import type { DataSource } from 'typeorm';
import { webhookScene } from '../../test/webhook-scene';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { closeEndpoints } from './close-endpoints';

const scene = webhookScene('3600');
let database: DataSource;
beforeAll(async () => {
  ({ database } = await openServiceDatabase(readConfig(vaultConfig, scene.service.environment)));
});
afterAll(() => database.destroy());

/** The number of deliveries to the endpoint per state. */
const deliveries = async (): Promise<Record<string, unknown>> => {
  const rows = await scene.service.sql(
    'SELECT state, count(*)::integer FROM webhook_delivery WHERE endpoint_id = $1 GROUP BY state',
    [scene.endpointId],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
};

describe('closing an endpoint', () => {
  it('ends the deliveries of a disabled one in batches, while it misses new events', async () => {
    await scene.moreEvents(2500);
    const disabled = await scene.webhooks('patch', `/${scene.endpointId}`, { status: 'disabled' });
    expect([disabled.status, disabled.body]).toMatchObject([200, { status: 'disabled' }]);
    expect(await deliveries()).toEqual({ missed: 1000, pending: 1500 });
    await scene.connectAndComplete();
    expect(await deliveries()).toEqual({ missed: 1002, pending: 1500 });
    expect(await closeEndpoints(database)).toBe(true);
    expect(await deliveries()).toEqual({ missed: 2002, pending: 500 });
    expect(await closeEndpoints(database)).toBe(false);
    expect(await deliveries()).toEqual({ missed: 2502 });
  });

  it('deletes the deliveries of a deleted one in batches, while no request finds it', async () => {
    await scene.moreEvents(2500);
    expect((await scene.webhooks('delete', `/${scene.endpointId}`)).body).toEqual({ success: true });
    expect(await deliveries()).toEqual({ pending: 1500 });
    expect(await scene.listed()).toEqual([]);
    for (const [method, path, body] of [
      ['delete', ''],
      ['patch', '', { status: 'enabled' }],
      ['post', '/enable'],
      ['post', '/test'],
      ['post', '/rotate-secret'],
      ['get', '/deliveries'],
      ['post', '/replay', { since: '2026-01-31T12:00:00Z' }],
    ] as const)
      expect((await scene.webhooks(method, `/${scene.endpointId}${path}`, body)).status).toBe(404);
    const again = await scene.create(scene.receiver.url);
    expect(again.status).toBe(200);
    await scene.connectAndComplete();
    expect(await deliveries()).toEqual({ pending: 1500 });
    expect([await closeEndpoints(database), await closeEndpoints(database)]).toEqual([true, false]);
    expect(await deliveries()).toEqual({});
    const endpoints = await scene.service.sql('SELECT endpoint_id FROM webhook_endpoint');
    expect(endpoints).toEqual([{ endpoint_id: (again.body as { endpoint_id: string }).endpoint_id }]);
  });

  it('waits for no transaction that has locked deliveries', async () => {
    await scene.moreEvents(3);
    const other = database.createQueryRunner();
    await other.startTransaction();
    await other.query('SELECT FROM webhook_delivery WHERE endpoint_id = $1 LIMIT 1 FOR UPDATE', [scene.endpointId]);
    expect((await scene.webhooks('patch', `/${scene.endpointId}`, { status: 'disabled' })).status).toBe(200);
    expect(await deliveries()).toEqual({ missed: 2, pending: 1 });
    expect((await scene.webhooks('delete', `/${scene.endpointId}`)).status).toBe(200);
    expect(await deliveries()).toEqual({ pending: 1 });
    await other.rollbackTransaction();
    await other.release();
    expect(await closeEndpoints(database)).toBe(false);
    expect(await scene.service.sql('SELECT FROM webhook_endpoint')).toEqual([]);
  });
});
