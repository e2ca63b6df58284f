import type { Activity } from '@tributary/contracts';
import { readConfig } from '@tributary/service-kit';
import { waitUntil } from '@tributary/test-environment';
import request, { type Response } from 'supertest';
import type { DataSource } from 'typeorm';
import { connect, newHealthSystem, newPerson } from '../../test/connect-flow';
import { collectedTypes, webhookScene } from '../../test/webhook-scene';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { closeEndpoints } from '../webhooks/close-endpoints';
import { deleteOldClientOutcomes, deleteOutcomesOfClient, measured } from './client-outcomes';
import { recordOutcome, recordOutcomes, recordRefreshFailure } from './connect-outcomes';

const noFailures = { connects: {}, refreshes: {}, collections: {}, types_refused: {} };
const nothing = {
  collections: { complete: 0, incomplete: 0, failed: 0 },
  collection_seconds: null,
  resources: {},
  failures: noFailures,
  new_connections: 0,
  webhooks: { delivered_at_first: 0, delivered_later: 0, failed: 0 },
  webhook_ms: null,
};

describe('the activity of a client', () => {
  const scene = webhookScene();
  let database: DataSource;
  beforeAll(async () => {
    ({ database } = await openServiceDatabase(readConfig(vaultConfig, scene.service.environment)));
  });
  afterAll(() => database.destroy());

  const get = async (query = '', headers: Record<string, string> = scene.person.clientHeaders): Promise<Response> =>
    request(scene.service.app).get(`/connect/v1/activity${query}`).set(headers);
  const read = async (query = '', headers = scene.person.clientHeaders): Promise<Activity> => {
    const response = await get(query, headers);
    expect(response.status).toBe(200);
    return response.body as Activity;
  };
  const today = (): string => new Date().toISOString().slice(0, 10);
  const lakeside = { id: 7001, name: 'Lakeside Hospital' };
  const at = (healthSystem = lakeside): { healthSystem: typeof lakeside; clientId: string } => ({
    healthSystem,
    clientId: scene.person.clientId,
  });
  const rows = async (): Promise<number> =>
    (await scene.service.sql('SELECT FROM client_outcome WHERE client_id = $1', [scene.person.clientId])).length;

  it('has each day of the period, also before anything has happened', async () => {
    const empty = await read();
    expect(empty).toEqual({
      success: true,
      from: new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10),
      until: today(),
      total: nothing,
      days: expect.any(Array),
      health_systems: [],
      other_health_systems: { count: 0, failures: noFailures },
    });
    expect(empty.days).toHaveLength(30);
    expect(empty.days.at(-1)).toEqual({ day: today(), ...nothing });
  });

  it('is asked for with client credentials, for 1 to 90 days', async () => {
    for (const days of [1, 7, 90]) expect((await read(`?days=${days}`)).days).toHaveLength(days);
    for (const days of ['0', '91', '-1', '1.5', '1e1', '', 'all']) {
      const { status, body } = await get(`?days=${days}`);
      expect([status, (body as { error: string }).error]).toEqual([400, 'days: must be an integer from 1 to 90']);
    }
    expect((await get('', {})).status).toBe(401);
    expect((await get('', { ...scene.person.clientHeaders, client_secret: 'wrong' })).status).toBe(401);
    expect((await get('', { authorization: `Bearer ${scene.person.token}` })).status).toBe(401);
  });

  it('counts a collection once, however often its end is reported, and what it has stored', async () => {
    const refused = {
      ...collectedTypes[0]!,
      type: 'Condition',
      stored: 0,
      outcome: 'refused' as const,
      warnings: [{ code: 'search_refused' as const, message: 'refused' }],
    };
    await connect(scene.service, scene.person, scene.at);
    const end = { state: 'completed' as const, types: [...collectedTypes, refused] };
    for (let times = 0; times < 3; times++) await scene.report(end);
    const place = { health_system: { id: scene.at.id, name: expect.any(String) } };
    const failures = { ...noFailures, collections: { incomplete: 1 }, types_refused: { Condition: 1 } };
    await scene.settle();
    const first = await read();
    expect(first.total).toEqual({
      ...nothing,
      collections: { complete: 0, incomplete: 1, failed: 0 },
      collection_seconds: { p50: 5, p95: 5 },
      resources: { Observation: 7, Patient: 1 },
      failures,
      new_connections: 1,
      webhooks: { delivered_at_first: 2, delivered_later: 0, failed: 0 },
      webhook_ms: expect.any(Object),
    });
    expect(first.days.at(-1)).toEqual({ day: today(), ...first.total });
    expect(first.health_systems).toEqual([{ ...place, failures }]);

    await scene.again();
    await scene.report({ state: 'completed', types: [{ ...collectedTypes[1]!, stored: 2, outcome: 'complete' }] });
    await scene.again();
    const error = { code: 'patient_refused' as const, message: 'refused' };
    for (let times = 0; times < 2; times++)
      await scene.report({ state: 'failed', failure: 'permanent', error, types: [collectedTypes[0]!] });
    expect((await read()).total).toMatchObject({
      collections: { failed: 1 },
      resources: { Observation: 9, Patient: 2 },
      failures: { collections: { patient_refused: 1 } },
      new_connections: 1,
    });
  });

  it('counts no attempt that is made again, and a user who connects again as no new connection', async () => {
    await connect(scene.service, scene.person, scene.at);
    await scene.report({ state: 'failed', failure: 'transient', types: collectedTypes });
    expect((await read()).total).toEqual({ ...nothing, new_connections: 1 });
    await connect(scene.service, scene.person, scene.at);
    expect((await read()).total).toEqual({ ...nothing, new_connections: 1 });
  });

  it('counts failed connects and refreshes with their reasons, and is that of the client only', async () => {
    const other = await newPerson(scene.service);
    scene.at.system.behaviour.authorize = 'access_denied';
    await connect(scene.service, scene.person, scene.at);
    scene.at.system.behaviour.authorize = undefined as never;
    await connect(scene.service, scene.person, scene.at);
    const [{ grant_id } = {}] = await scene.service.sql('SELECT grant_id FROM connection WHERE client_id = $1', [
      scene.person.clientId,
    ]);
    await recordRefreshFailure(database.manager, String(grant_id), 'unavailable');
    await recordRefreshFailure(database.manager, String(grant_id), 'unavailable');
    expect((await read()).health_systems).toEqual([
      {
        health_system: { id: scene.at.id, name: expect.any(String) },
        failures: { ...noFailures, connects: { access_denied: 1 }, refreshes: { unavailable: 2 } },
      },
    ]);
    const seen = await read('', other.clientHeaders);
    expect(seen).toMatchObject({ total: nothing, health_systems: [], other_health_systems: { count: 0 } });
    expect(seen.days.map(({ day: _day, ...counts }) => counts)).toEqual(seen.days.map(() => nothing));
  });

  it('counts each delivery by its end, and measures the accepted attempt', async () => {
    scene.receiver.status = (nth) => (nth <= 1 ? 500 : 200);
    await scene.moreEvents(1);
    await waitUntil(async () => {
      await scene.dueNow();
      return (await scene.waiting()) === 0;
    });
    scene.receiver.delayMs = 150;
    await scene.moreEvents(2);
    await scene.settle();
    expect((await read()).total).toMatchObject({
      webhooks: { delivered_at_first: 2, delivered_later: 1, failed: 0 },
      webhook_ms: { p95: expect.any(Number) },
    });
    expect((await read()).total.webhook_ms?.p95).toBeGreaterThanOrEqual(200);
    // The endpoint is disabled: what was sent to it has failed, and what was not is not counted.
    await scene.service.sql(
      `UPDATE webhook_endpoint SET status = 'disabled', disabled_reason = 'x', disabled_at = now() WHERE endpoint_id = $1`,
      [scene.endpointId],
    );
    await scene.moreEvents(3);
    await scene.service.sql(
      `UPDATE webhook_delivery SET first_attempt_at = now() WHERE endpoint_id = $1 AND state = 'pending'
         AND event_id = (SELECT min(event_id::text)::uuid FROM webhook_delivery WHERE endpoint_id = $1 AND state = 'pending')`,
      [scene.endpointId],
    );
    for (let times = 0; times < 2; times++) await closeEndpoints(database);
    expect((await read()).total.webhooks).toEqual({ delivered_at_first: 2, delivered_later: 1, failed: 1 });
  });

  it('names the health systems with most failures, by their newest names, and sums the others', async () => {
    for (let n = 1; n <= 53; n++) {
      const healthSystem = { id: 8000 + n, name: `System ${n}` };
      const outcomes = Array.from({ length: n }, () => ({ kind: 'refresh' as const, reason: 'unavailable' }));
      await recordOutcomes(database.manager, at(healthSystem), outcomes);
    }
    await scene.service.sql('UPDATE client_outcome SET day = day - 1 WHERE client_id = $1', [scene.person.clientId]);
    await recordOutcome(database.manager, at({ id: 8053, name: 'Renamed' }), 'connect', 'expired');
    const { health_systems: systems, other_health_systems: others, total, days } = await read('?days=2');
    expect(systems).toHaveLength(50);
    expect(systems[0]).toEqual({
      health_system: { id: 8053, name: 'Renamed' },
      failures: { ...noFailures, connects: { expired: 1 }, refreshes: { unavailable: 53 } },
    });
    expect(systems.at(-1)).toMatchObject({ health_system: { id: 8004 }, failures: { refreshes: { unavailable: 4 } } });
    expect(others).toEqual({ count: 3, failures: { ...noFailures, refreshes: { unavailable: 6 } } });
    expect(total.failures).toMatchObject({ connects: { expired: 1 }, refreshes: { unavailable: (53 * 54) / 2 } });
    expect(days.map(({ failures }) => failures.connects)).toEqual([{}, { expired: 1 }]);
    expect((await read('?days=1')).total.failures).toEqual({ ...noFailures, connects: { expired: 1 } });
  });

  it('has the ends of the ranges in which most values lie', async () => {
    const values = [...Array<number>(94).fill(8), ...Array<number>(5).fill(3000), 99_999_999];
    await recordOutcomes(
      database.manager,
      at(),
      [],
      values.map((value) => measured('collection_seconds', value)),
    );
    expect((await read()).total.collection_seconds).toEqual({ p50: 10, p95: 3600 });
    await recordOutcomes(
      database.manager,
      at(),
      [],
      Array<ReturnType<typeof measured>>(9).fill(measured('collection_seconds', 1e9)),
    );
    expect((await read()).total.collection_seconds).toEqual({ p50: 10, p95: 2_592_000 });
  });

  it('counts every concurrent transaction without a deadlock, and none that is rolled back', async () => {
    const types = ['Condition', 'Observation', 'Procedure', 'Immunization'];
    await Promise.all(
      Array.from({ length: 60 }, (_x, index) =>
        database
          .transaction(async (manager) => {
            const ordered = index % 2 ? types : types.toReversed();
            await recordOutcomes(
              manager,
              at(),
              ordered.map((reason) => ({ kind: 'type_refused' as const, reason })),
              ordered.map((label) => ({ kind: 'resource' as const, label, occurrences: 3 })),
            );
            if (index % 4 === 0) throw new Error('rolled back');
          })
          .catch((error: Error) => expect(error.message).toBe('rolled back')),
      ),
    );
    const { total } = await read();
    expect(total.failures.types_refused).toEqual(Object.fromEntries(types.map((type) => [type, 45])));
    expect(total.resources).toEqual(Object.fromEntries(types.map((type) => [type, 135])));
    const [spread] = await scene.service.sql(
      'SELECT count(DISTINCT shard)::int AS shards FROM client_outcome WHERE client_id = $1',
      [scene.person.clientId],
    );
    expect(spread?.['shards']).toBeGreaterThan(4);
  });

  it('is deleted after 100 days, and with the client', async () => {
    await recordOutcome(database.manager, at(), 'collection', 'complete');
    await scene.service.sql('UPDATE client_outcome SET day = day - 101 WHERE client_id = $1', [scene.person.clientId]);
    await recordOutcome(database.manager, at(), 'collection', 'incomplete');
    expect(await rows()).toBe(3);
    await deleteOldClientOutcomes(database);
    expect(await rows()).toBe(2);
    await deleteOutcomesOfClient(database, 'another');
    expect(await rows()).toBe(2);
    await deleteOutcomesOfClient(database, scene.person.clientId);
    expect(await rows()).toBe(0);
  });

  it('is deleted when it was counted after the deletion of the client', async () => {
    const of = (clientId: string): Promise<unknown[]> =>
      scene.service.sql('SELECT 1 FROM client_outcome WHERE client_id = $1', [clientId]);
    for (const clientId of ['deleted', scene.person.clientId])
      await recordOutcome(database.manager, { ...at(), clientId }, 'collection', 'complete');
    await deleteOldClientOutcomes(database);
    expect([await of('deleted'), (await of(scene.person.clientId)).length]).toEqual([[], 1]);
  });

  it('names no user of a deleted connection, and stays', async () => {
    const closed = await newHealthSystem(scene.service);
    await connect(scene.service, scene.person, closed);
    await request(scene.service.app)
      .delete('/user-management/v1/user')
      .set(scene.person.clientHeaders)
      .send({ service_user_id: scene.person.serviceUserId });
    const { total } = await read();
    expect(total.new_connections).toBe(1);
    expect(JSON.stringify(await read())).not.toContain(`:${scene.person.serviceUserId},`);
    await closed.system.close();
  });
});
