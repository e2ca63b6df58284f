import { waitUntil } from '@tributary/test-environment';
import { type DeliveryEntry, deliveryEntry, deliveryList } from '@tributary/contracts';
import { readConfig } from '@tributary/service-kit';
import type { Response } from 'supertest';
import { newPerson } from '../../test/connect-flow';
import { WebhookReceiver } from '../../test/webhook-receiver';
import { webhookScene } from '../../test/webhook-scene';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { DeliveryLog } from './delivery-log';

const scene = webhookScene();

const deliveries = async (query: Record<string, string> = {}): Promise<DeliveryEntry[]> => {
  const path = `/${scene.endpointId}/deliveries?${new URLSearchParams(query).toString()}`;
  return deliveryList.parse((await scene.webhooks('get', path)).body).entry;
};
const replay = (body: object): Promise<Response> => scene.webhooks('post', `/${scene.endpointId}/replay`, body);
const replayOne = (webhookId: string): Promise<Response> =>
  scene.webhooks('post', `/${scene.endpointId}/deliveries/${webhookId}/replay`);
const before = (): string => new Date(Date.now() - 3_600_000).toISOString();

const deleteOld = async (): Promise<void> => {
  const { database } = await openServiceDatabase(readConfig(vaultConfig, scene.service.environment));
  await new DeliveryLog(database).deleteOld();
  await database.destroy();
};

/** Counts how often the receiver got each event. */
const timesReceived = (): number[] => {
  const ids = scene.receiver.received.map(({ id }) => id);
  return [...new Set(ids)].map((id) => ids.filter((other) => other === id).length);
};

describe('the log of deliveries', () => {
  it('has every event with its attempts, and no text of the endpoint', async () => {
    scene.receiver.status = 503;
    const { connection_id } = await scene.connectAndComplete();
    await scene.attempted(1);
    scene.receiver.status = 204;
    await scene.dueNow();
    await scene.settle();
    const [completed, active, ...others] = await deliveries();
    expect(others).toEqual([]);
    expect([completed?.event, active?.event]).toEqual(['collection.completed', 'connection.active']);
    expect(active).toEqual({
      webhook_id: scene.receiver.received[0]?.id,
      event: 'connection.active',
      timestamp: expect.any(String),
      service_user_id: scene.person.serviceUserId,
      connection_id,
      state: 'delivered',
      attempts: [
        { at: expect.any(String), duration_ms: expect.any(Number), status: 503 },
        { at: expect.any(String), duration_ms: expect.any(Number), status: 204 },
      ],
    });
    const [row] = await scene.service.sql('SELECT attempt_log::text AS log FROM webhook_delivery LIMIT 1');
    expect(row?.['log']).not.toContain('thanks');
    expect((await scene.listed())[0]).toMatchObject({
      consecutive_failures: 0,
      last_success_at: expect.any(String),
      last_failure: { status: 503 },
    });
  });

  it('says why there was no response, and keeps the last 30 attempts', async () => {
    await scene.receiver.close();
    await scene.moreEvents(1);
    await scene.attempted(1);
    const log = JSON.stringify(Array.from({ length: 30 }, (_, n) => ({ at: 'earlier', duration_ms: n })));
    await scene.service.sql('UPDATE webhook_delivery SET attempt_log = $2 WHERE endpoint_id = $1', [
      scene.endpointId,
      log,
    ]);
    await scene.dueNow();
    await scene.attempted(2);
    const [row] = await scene.service.sql('SELECT attempt_log FROM webhook_delivery WHERE endpoint_id = $1', [
      scene.endpointId,
    ]);
    const attempts = row?.['attempt_log'] as { duration_ms: number; reason?: string }[];
    expect([attempts.length, attempts[0]?.duration_ms, attempts.at(-1)?.reason]).toEqual([30, 1, 'ECONNREFUSED']);
    expect((await scene.listed())[0]).toMatchObject({
      consecutive_failures: 2,
      last_failure: { reason: 'ECONNREFUSED' },
    });
    scene.receiver = await WebhookReceiver.listen();
  });

  it('is paged from the newest event, and filtered by event, state and time', async () => {
    await scene.moreEvents(5);
    await scene.settle();
    await scene.connectAndComplete();
    await scene.settle();
    const pages: DeliveryEntry[][] = [];
    let cursor: string | undefined;
    do {
      const path = `/${scene.endpointId}/deliveries?limit=3${cursor ? `&cursor=${cursor}` : ''}`;
      const page = deliveryList.parse((await scene.webhooks('get', path)).body);
      pages.push(page.entry);
      cursor = page.next_cursor;
    } while (cursor !== undefined && pages.length < 10);
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 1]);
    const all = pages.flat();
    expect(new Set(all.map(({ webhook_id }) => webhook_id)).size).toBe(7);
    expect(all.map(({ timestamp }) => timestamp)).toEqual(
      all
        .map(({ timestamp }) => timestamp)
        .sort()
        .reverse(),
    );
    expect(await deliveries({ event: 'collection.completed' })).toEqual([all[0]]);
    expect(await deliveries({ state: 'failed' })).toEqual([]);
    expect(await deliveries({ state: 'delivered', limit: '100' })).toEqual(all);
    const boundary = all[1]!.timestamp;
    await scene.service.sql(
      `UPDATE webhook_delivery SET created_at = created_at - interval '1 day' WHERE endpoint_id = $1 AND created_at < $2`,
      [scene.endpointId, boundary],
    );
    expect((await deliveries({ since: boundary })).map(({ event }) => event)).toEqual([
      'collection.completed',
      'connection.active',
    ]);
    expect(await deliveries({ until: boundary })).toHaveLength(5);
    for (const query of [
      'state=gone',
      'event=webhook.test',
      'since=yesterday',
      'limit=0',
      'limit=101',
      'cursor=x',
      'cursor=7',
    ])
      expect((await scene.webhooks('get', `/${scene.endpointId}/deliveries?${query}`)).status).toBe(400);
  });

  it('is deleted after 15 days', async () => {
    await scene.connectAndComplete();
    await scene.settle();
    await scene.service.sql(
      `UPDATE webhook_event SET created_at = now() - interval '15 days 1 minute'
       WHERE client_id = $1 AND type = 'connection.active'`,
      [scene.person.clientId],
    );
    await deleteOld();
    expect((await deliveries()).map(({ event }) => event)).toEqual(['collection.completed']);
  });

  it('keeps an event that is sent again on its last day, until its delivery ends', async () => {
    await scene.moreEvents(2);
    await scene.settle();
    scene.receiver.status = 500;
    const [, older] = await deliveries();
    await replayOne(older!.webhook_id);
    await scene.attempted(1);
    await scene.service.sql(
      `UPDATE webhook_event SET created_at = now() - interval '15 days 1 minute' WHERE client_id = $1`,
      [scene.person.clientId],
    );
    await deleteOld();
    expect((await deliveries()).map(({ webhook_id, state }) => [webhook_id, state])).toEqual([
      [older!.webhook_id, 'pending'],
    ]);
    scene.receiver.status = 204;
    await scene.dueNow();
    await scene.settle();
    await deleteOld();
    expect(await deliveries()).toEqual([]);
  });
});

describe('replay', () => {
  it('sends one event again under the same webhook-id', async () => {
    await scene.connectAndComplete();
    await scene.settle();
    const [, active] = await deliveries();
    const response = await replayOne(active!.webhook_id);
    expect(deliveryEntry.parse(response.body)).toMatchObject({ webhook_id: active!.webhook_id, state: 'pending' });
    await scene.settle();
    expect(scene.received()).toEqual(['connection.active', 'collection.completed', 'connection.active']);
    expect(scene.receiver.received[2]).toEqual(scene.receiver.received[0]);
    expect(scene.receiver.forged).toBe(0);
    expect((await deliveries())[1]).toMatchObject({ state: 'delivered', attempts: [{ status: 204 }, { status: 204 }] });
  });

  it('sends what a disabled endpoint missed, in its order', async () => {
    await scene.webhooks('patch', `/${scene.endpointId}`, { status: 'disabled' });
    await scene.connectAndComplete();
    expect((await deliveries()).map(({ state, attempts }) => [state, attempts])).toEqual([
      ['missed', []],
      ['missed', []],
    ]);
    const [missed] = await deliveries();
    for (const refused of [await replay({ since: before() }), await replayOne(missed!.webhook_id)])
      expect([refused.status, refused.body]).toMatchObject([409, { error_code: 'webhook_endpoint_disabled' }]);
    await scene.webhooks('post', `/${scene.endpointId}/enable`);
    expect((await replay({ since: before(), state: 'missed' })).body).toEqual({ success: true, replayed: 2 });
    await scene.settle();
    expect(scene.received()).toEqual(['connection.active', 'collection.completed']);
    expect((await replay({ since: before(), state: 'missed' })).body).toEqual({ success: true, replayed: 0 });
  });

  it('sends what a failing endpoint did not accept', async () => {
    scene.receiver.status = 410;
    await scene.connectAndComplete();
    await waitUntil(async () => (await scene.listed())[0]?.['status'] === 'disabled');
    expect((await deliveries()).map(({ state }) => state)).toEqual(['missed', 'failed']);
    scene.receiver.status = 204;
    await scene.webhooks('post', `/${scene.endpointId}/enable`);
    expect((await replay({ since: before() })).body).toEqual({ success: true, replayed: 2 });
    await scene.settle();
    expect(scene.received().slice(1)).toEqual(['connection.active', 'collection.completed']);
  });

  it('of a time range sends each event once, also when it is requested twice at the same time', async () => {
    await scene.moreEvents(20);
    await scene.settle();
    scene.receiver.delayMs = 60_000;
    const range = { since: before() };
    const [one, other] = await Promise.all([replay(range), replay(range)]);
    expect([one.body, other.body].map(({ replayed }: { replayed: number }) => replayed).sort()).toEqual([0, 20]);
    scene.receiver.respondNow();
    await scene.settle();
    expect(timesReceived()).toEqual(Array.from({ length: 20 }, () => 2));
    expect((await replay({ since: before(), until: before() })).body).toEqual({ success: true, replayed: 0 });
  });

  it('sends events that the endpoint selects only now, and none of other clients', async () => {
    await scene.connectAndComplete();
    await scene.settle();
    const late = await WebhookReceiver.listen();
    const created = (await scene.create(late.url, { events: ['collection.completed'] })).body as {
      endpoint_id: string;
      secret: string;
    };
    late.secret = created.secret;
    const lateReplay = await scene.webhooks('post', `/${created.endpoint_id}/replay`, { since: before() });
    expect(lateReplay.body).toEqual({ success: true, replayed: 1 });
    await waitUntil(() => late.received.length > 0);
    expect(late.received).toEqual([scene.receiver.received[1]]);
    await late.close();

    const stranger = await newPerson(scene.service);
    const theirs = (await scene.webhooks('post', '', { url: 'http://localhost:9/' }, stranger.clientHeaders)).body as {
      endpoint_id: string;
    };
    const response = await scene.webhooks(
      'post',
      `/${theirs.endpoint_id}/replay`,
      { since: before() },
      stranger.clientHeaders,
    );
    expect(response.body).toEqual({ success: true, replayed: 0 });
    const foreign = await scene.webhooks(
      'post',
      `/${theirs.endpoint_id}/deliveries/${scene.receiver.received[0]?.id}/replay`,
      undefined,
      stranger.clientHeaders,
    );
    expect([foreign.status, foreign.body]).toMatchObject([404, { error_code: 'webhook_delivery_not_found' }]);
  });

  it('refuses a range of too many events, and then sends none', async () => {
    await scene.service.sql(
      `INSERT INTO webhook_event (event_id, client_id, type, body)
       SELECT gen_random_uuid(), $1, 'user.deleted', '{}' FROM generate_series(1, 10001)`,
      [scene.person.clientId],
    );
    const response = await replay({ since: before() });
    expect([response.status, response.body]).toMatchObject([400, { error_code: 'too_many_events' }]);
    expect(await scene.waiting()).toBe(0);
    for (const body of [{}, { since: 'yesterday' }, { since: before(), state: 'pending' }])
      expect((await replay(body)).status).toBe(400);
  });
});
