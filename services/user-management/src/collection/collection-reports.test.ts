import { randomUUID } from 'node:crypto';
import type { CollectionReport } from '@tributary/contracts';
import request from 'supertest';
import { admin } from '../../test/connect-flow';
import { connectionScene, workerCredentials } from '../../test/connection-scene';
import { typeProgress } from '../../test/type-progress';

describe('a report', () => {
  const scene = connectionScene();
  const { connected, forCollection, own, report } = scene;

  it('updates the progress, and its end sets active', async () => {
    const connection = await connected();
    expect(
      (
        await report(connection, {
          state: 'collecting',
          types: [typeProgress('Patient', 1, 0, true), typeProgress('Observation', 40, 2, false)],
        })
      ).status,
    ).toBe(200);
    expect((await scene.connections())[0]).toMatchObject({
      status: 'collecting',
      progress: { collected: 41, types_done: 1, types_total: 2 },
      complete: false,
      outcomes: { complete: 1, partial: 0, refused: 0, not_offered: 0, failed: 0 },
      last_collected_at: null,
    });
    await report(connection, {
      state: 'completed',
      types: [typeProgress('Patient', 1, 0, true), typeProgress('Observation', 40, 60, true)],
    });
    const [done] = await scene.connections();
    expect(done).toMatchObject({
      status: 'active',
      progress: { collected: 41, types_done: 2, types_total: 2 },
      complete: true,
      outcomes: { complete: 2, partial: 0, refused: 0, not_offered: 0, failed: 0 },
      warnings: [],
      warnings_omitted: 0,
      last_collected_at: expect.any(String),
    });
    const detail = (await own('get', `/${connection.connection_id}`)).body as object;
    expect(detail).toEqual({
      success: true,
      ...done,
      types: [typeProgress('Patient', 1, 0, true), typeProgress('Observation', 40, 60, true)],
      results: [
        { type: 'Patient', outcome: 'complete', warnings: [] },
        { type: 'Observation', outcome: 'complete', warnings: [] },
      ],
    });
  });

  it('counts the record over all collections, and keeps the last result while the next one is in progress', async () => {
    const connection = await connected();
    const warning = { code: 'search_refused' as const, message: 'the health system refused Condition with 403' };
    const refused = { ...typeProgress('Condition', 0, 0, true), outcome: 'refused' as const, warnings: [warning] };
    const found = { ...typeProgress('Practitioner', 3, 0, true), read: 'references' as const };
    await report(connection, {
      state: 'completed',
      types: [typeProgress('Patient', 1, 0, true), typeProgress('Observation', 97, 0, true), refused, found],
    });
    const gaps = {
      complete: false,
      outcomes: { complete: 3, partial: 0, refused: 1, not_offered: 0, failed: 0 },
      warnings: [{ ...warning, type: 'Condition' }],
      warnings_omitted: 0,
    };
    const entry = async (): Promise<unknown> => (await scene.connections())[0];
    const first = { collected: 101, types_done: 3, types_total: 3 };
    expect(await entry()).toMatchObject({ status: 'active', progress: first, ...gaps });

    await own('post', `/${connection.connection_id}/refresh`);
    expect(await entry()).toMatchObject({ status: 'collecting', progress: { ...first, types_done: 0 }, ...gaps });
    const second = await forCollection(connection.connection_id);
    const changes = (of: CollectionReport['types'][number]): CollectionReport['types'][number] => ({
      ...of,
      read: 'changes',
    });
    const types = [
      changes(typeProgress('Patient', 0, 1, true)),
      changes({ ...typeProgress('Observation', 5, 1, false), created: 4, deleted: 2 }),
      { ...typeProgress('Condition', 9, 0, true), created: 9 },
    ];
    await report(second, { state: 'collecting', types });
    expect(await entry()).toMatchObject({
      status: 'collecting',
      progress: { collected: 112, types_done: 2, types_total: 3 },
      ...gaps,
    });

    // Another collection replaces this one: what it has stored stays counted.
    await scene.connect();
    expect(await entry()).toMatchObject({ status: 'collecting', progress: { collected: 112 }, ...gaps });
    const third = await forCollection(connection.connection_id);
    expect(third.collection_id).not.toBe(second.collection_id);
    await report(third, {
      state: 'completed',
      types: [typeProgress('Patient', 0, 1, true), typeProgress('Condition', 0, 9, true)],
    });
    const whole = {
      status: 'active',
      progress: { collected: 112 },
      complete: true,
      outcomes: { complete: 2, partial: 0, refused: 0, not_offered: 0, failed: 0 },
      warnings: [],
    };
    expect(await entry()).toMatchObject(whole);
    const { entry: outcomes } = JSON.parse(
      await admin(scene.service, 'connection', 'outcomes', '--health-system', String(scene.at.id), '--json'),
    ) as { entry: object[] };
    expect(outcomes[0]).toMatchObject({
      connects: { started: 2, connected: 2 },
      collections: { incomplete: 1, complete: 1 },
      types_refused: { Condition: 1 },
    });
  });

  it('counts a restored resource again only when a collection had deleted it', async () => {
    const connection = await connected();
    const collectedBy = async (counts: { created?: number; restored?: number; deleted?: number }): Promise<unknown> => {
      const { connection_id: id } = connection;
      await report(await forCollection(id), {
        state: 'completed',
        types: [{ ...typeProgress('Observation', counts.created ?? 0, 0, true), ...counts }],
      });
      const ended = await scene.connections();
      await own('post', `/${id}/refresh`);
      expect(await scene.connections()).toMatchObject([{ progress: { collected: ended[0]?.progress.collected } }]);
      return ended[0]?.progress.collected;
    };
    expect(await collectedBy({ created: 100 })).toBe(100);
    // The client has deleted 34, and the health system still has them.
    expect(await collectedBy({ created: 34, restored: 34 })).toBe(100);
    expect(await collectedBy({ deleted: 5 })).toBe(95);
    expect(await collectedBy({ created: 2, restored: 2 })).toBe(97);
    expect(await collectedBy({ created: 4, restored: 4 })).toBe(100);
    expect(await collectedBy({ created: 1, restored: 1 })).toBe(100);
  });

  it('of an end counts once when it arrives several times at once, on two replicas', async () => {
    const connection = await connected();
    await request(scene.service.app)
      .post('/connect/v1/webhooks')
      .set(scene.person.clientHeaders)
      .send({ url: 'http://127.0.0.1:9/' });
    const { internal: second } = await scene.service.replica();
    const body = { state: 'completed', types: [typeProgress('Patient', 3, 0, true)] };
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async (_x, index) => {
        const response = await request(index % 2 ? scene.service.internal : second)
          .put(`/internal/v1/connections/${connection.connection_id}/collections/${connection.collection_id}`)
          .set('Authorization', workerCredentials)
          .send(body);
        return response.status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await scene.connections())[0]).toMatchObject({ status: 'active', progress: { collected: 3 } });
    const events = await scene.service.sql('SELECT body FROM webhook_event WHERE service_user_id = $1', [
      scene.person.serviceUserId,
    ]);
    expect(events).toHaveLength(2);
    const counted = await scene.service.sql(
      `SELECT occurrences::int FROM connect_outcome WHERE health_system_id = $1 AND kind = 'collection'`,
      [scene.at.id],
    );
    expect(counted).toEqual([{ occurrences: 1 }]);
  });

  it('of progress keeps the error of a collection that waits', async () => {
    const connection = await connected();
    const error = { code: 'health_system_unavailable' as const, message: 'the health system does not respond' };
    await report(connection, { state: 'failed', failure: 'transient', types: [], error });
    await report(connection, { state: 'collecting', types: [typeProgress('Patient', 1, 0, true)] });
    expect((await scene.connections())[0]).toMatchObject({
      status: 'collecting',
      error,
      retry_at: expect.any(String),
      progress: { collected: 1 },
    });
  });

  it('of a failure sets its reason', async () => {
    const connection = await connected();
    const unavailable = {
      code: 'health_system_unavailable' as const,
      message: 'the health system does not respond',
    };
    await report(connection, { state: 'failed', types: [], error: unavailable });
    expect((await scene.connections())[0]).toMatchObject({
      status: 'failed',
      error: unavailable,
      complete: false,
      last_collected_at: null,
    });
  });

  it('of an end may be repeated; reports of earlier collections are rejected', async () => {
    const connection = await connected();
    const whole: CollectionReport = { state: 'completed', types: [typeProgress('Patient', 1, 0, true)] };
    expect((await report(connection, whole)).status).toBe(200);
    expect((await report(connection, whole)).status).toBe(200);
    expect((await report(connection, { state: 'collecting', types: [] })).status).toBe(409);
    expect((await report({ ...connection, collection_id: randomUUID() }, whole)).status).toBe(409);
    expect((await report({ ...connection, connection_id: randomUUID() }, whole)).status).toBe(404);
    expect((await scene.connections())[0]?.progress.collected).toBe(1);
  });
});
