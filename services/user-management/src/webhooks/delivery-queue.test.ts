import { readConfig } from '@tributary/service-kit';
import request from 'supertest';
import type { DataSource } from 'typeorm';
import { webhookScene } from '../../test/webhook-scene';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { DeliveryQueue } from './delivery-queue';

const scene = webhookScene('3600');
let database: DataSource;
let queue: DeliveryQueue;
beforeAll(async () => {
  ({ database } = await openServiceDatabase(readConfig(vaultConfig, scene.service.environment)));
  queue = new DeliveryQueue(database);
});
afterAll(() => database.destroy());

describe('the queue of deliveries', () => {
  it('leases at most eight events of an endpoint at a time, also to several processes', async () => {
    await scene.moreEvents(30);
    const leases = await Promise.all([queue.lease(), queue.lease(), queue.lease()]);
    const leased = leases.flatMap((deliveries) => deliveries ?? []);
    expect(new Set(leased.map(({ eventId }) => eventId)).size).toBe(8);
    expect(leased).toHaveLength(8);
    await scene.lookNow();
    expect(await queue.lease()).toEqual([]);
    for (const delivery of leased.slice(0, 3)) await queue.recordSuccess(delivery, { status: 204, durationMs: 1 });
    expect(await queue.lease()).toHaveLength(3);
  });

  it('leases no event of a user who is being deleted; the deletion deletes them', async () => {
    await scene.connectAndComplete();
    await scene.service.sql(
      `UPDATE service_user SET state = 'deleting', app_user_id_sealed = NULL, app_user_id_blind_index = NULL WHERE service_user_id = $1`,
      [scene.person.serviceUserId],
    );
    expect(await queue.lease()).toEqual([]);
    expect(await scene.waiting()).toBe(2);
    const deleted = await request(scene.service.app)
      .delete('/user-management/v1/user')
      .set(scene.person.clientHeaders)
      .send({ service_user_id: scene.person.serviceUserId });
    expect(deleted.status).toBe(200);
    const left = await scene.service.sql('SELECT event_id, type FROM webhook_event WHERE client_id = $1', [
      scene.person.clientId,
    ]);
    expect(left).toMatchObject([{ type: 'user.deleted' }]);
    expect(await queue.lease()).toMatchObject([{ eventId: left[0]?.['event_id'] }]);
  });
});
