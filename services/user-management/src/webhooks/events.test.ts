import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tributary/test-environment';
import { webhookEvent } from '@tributary/contracts';
import request from 'supertest';
import { connect, connectionsOf, newHealthSystem, newPerson } from '../../test/connect-flow';
import { credentialsOf } from '../../test/running-service';
import { WebhookReceiver } from '../../test/webhook-receiver';
import { collectedTypes, webhookScene } from '../../test/webhook-scene';

const scene = webhookScene();

describe('webhook events', () => {
  it('report an active connection and a completed collection: signed, with ids and counts', async () => {
    const { connection_id } = await scene.connectAndComplete();
    await scene.settle();
    expect(scene.received()).toEqual(['connection.active', 'collection.completed']);
    expect(scene.receiver.forged).toBe(0);
    const about = {
      service_user_id: scene.person.serviceUserId,
      connection_id,
      health_system_id: scene.at.id,
      fhirVersion: 'r4',
    };
    const counts = [
      {
        type: 'Patient',
        outcome: 'complete',
        fetched: 1,
        stored: 1,
        unchanged: 0,
        failed: 0,
        created: 1,
        deleted: 0,
      },
      {
        type: 'Observation',
        outcome: 'partial',
        fetched: 12,
        stored: 7,
        unchanged: 4,
        failed: 1,
        created: 7,
        deleted: 0,
      },
    ];
    const result = {
      complete: false,
      warnings: [{ code: 'resource_not_stored', type: 'Observation', message: 'a resource was not stored' }],
      warnings_omitted: 0,
    };
    expect(scene.receiver.received.map(({ data }) => data)).toEqual([
      { ...about, ...result },
      { ...about, ...result, types: counts },
    ]);
    for (const { id, signatures, type, ...event } of scene.receiver.received) {
      expect(id).toMatch(/^msg_[0-9a-f-]{36}$/);
      expect(signatures).toBe(1);
      expect(event.mode).toBe('test');
      expect(webhookEvent(type as 'connection.active').safeParse({ type, ...event }).success).toBe(true);
    }
  });

  it('of a status are recorded when it changes; progress and repeated reports are no events', async () => {
    await connect(scene.service, scene.person, scene.at);
    await scene.report({ state: 'collecting', types: collectedTypes });
    await scene.report({
      state: 'failed',
      types: [],
      error: { code: 'types_failed', message: 'Observation: its pages lead in a circle' },
    });
    await scene.report({ state: 'failed', types: [] });
    await scene.again();
    await scene.report({ state: 'failed', types: [] });
    await scene.again();
    await scene.report({ state: 'completed', types: collectedTypes });
    await scene.again();
    await scene.report({ state: 'completed', types: [] });
    await scene.settle();
    expect(scene.received()).toEqual([
      'connection.failed',
      'connection.active',
      'collection.completed',
      'collection.completed',
    ]);
    expect(scene.receiver.received[0]?.data['error']).toEqual({
      code: 'types_failed',
      message: 'Observation: its pages lead in a circle',
    });
  });

  it('report needs_reauthorization once per connection of the grant, and active after the user connects again', async () => {
    const shared = await newHealthSystem(scene.service, ['dstu2', 'r4']);
    await connect(scene.service, scene.person, shared);
    const entries = await connectionsOf(scene.service, scene.person);
    shared.system.liveRefreshToken = 'another';
    for (const { connection_id } of [...entries, ...entries]) {
      const token = (await scene.internal('post', `${connection_id}/access-token`, {})).body as { token_id?: string };
      if (token.token_id)
        await scene.internal('post', `${connection_id}/access-token`, { refused_token_id: token.token_id });
    }
    await scene.settle();
    expect(scene.received()).toEqual(['connection.needs_reauthorization', 'connection.needs_reauthorization']);
    expect(new Set(scene.receiver.received.map(({ data }) => data['connection_id']))).toEqual(
      new Set(entries.map(({ connection_id }) => connection_id)),
    );
    await connect(scene.service, scene.person, shared);
    await scene.report({ state: 'completed', types: [] });
    await scene.settle();
    expect(scene.received().slice(2)).toEqual(['connection.active', 'collection.completed']);
    await shared.system.close();
  });

  it('are sent to each endpoint of the client under one id, and to no other client', async () => {
    const second = await WebhookReceiver.listen();
    const stranger = await newPerson(scene.service);
    second.secret = ((await scene.create(second.url)).body as { secret: string }).secret;
    const strangersReceiver = await WebhookReceiver.listen();
    await scene.webhooks('post', '', { url: strangersReceiver.url }, stranger.clientHeaders);
    await scene.connectAndComplete();
    await waitUntil(() => scene.receiver.received.length === 2 && second.received.length === 2);
    expect(second.received).toEqual(scene.receiver.received);
    expect(strangersReceiver.received.length + strangersReceiver.forged).toBe(0);
    await Promise.all([second.close(), strangersReceiver.close()]);
  });

  it('report the deletion of a user once it is complete', async () => {
    await scene.connectAndComplete();
    await scene.settle();
    scene.service.records.isUnavailable = true;
    const deleteUser = async (): Promise<number> =>
      (
        await request(scene.service.app)
          .delete('/user-management/v1/user')
          .set(scene.person.clientHeaders)
          .send({ service_user_id: scene.person.serviceUserId })
      ).status;
    expect(await deleteUser()).toBe(503);
    expect(await scene.waiting()).toBe(0);
    scene.service.records.isUnavailable = false;
    expect(await deleteUser()).toBe(200);
    await scene.settle();
    expect(scene.receiver.received.slice(2)).toMatchObject([
      { type: 'user.deleted', mode: 'test', data: { service_user_id: scene.person.serviceUserId } },
    ]);
  });

  it('report a revoked connection once, and who revoked it', async () => {
    const { connection_id } = await scene.connectAndComplete();
    const disconnect = async (): Promise<number> =>
      (
        await request(scene.service.app)
          .delete(`/connect/v1/connections/${connection_id}`)
          .set('Authorization', `Bearer ${scene.person.token}`)
      ).status;
    expect(await Promise.all([disconnect(), disconnect()])).toEqual([200, 200]);
    await scene.settle();
    expect(scene.received()).toEqual(['connection.active', 'collection.completed', 'connection.revoked']);
    expect(scene.receiver.received[2]?.data).toMatchObject({ connection_id, revoked_by: 'user' });
    await connect(scene.service, scene.person, scene.at);
    const byClient = await request(scene.service.app)
      .delete(`/connect/v1/connections/${connection_id}`)
      .query({ service_user_id: scene.person.serviceUserId })
      .set(scene.person.clientHeaders);
    expect(byClient.status).toBe(200);
    await scene.settle();
    expect(scene.receiver.received.at(-1)?.data).toMatchObject({ connection_id, revoked_by: 'client' });
  });

  it('report a completed export once per job, of a user or of the client', async () => {
    const { clientId, serviceUserId } = scene.person;
    const exportOf = async (body: object): Promise<number> =>
      (
        await request(scene.service.internal)
          .post('/internal/v1/events/export-completed')
          .set('Authorization', credentialsOf('analytics-export'))
          .send({ client_id: clientId, ...body })
      ).status;
    const ofClient = { job_id: randomUUID(), transaction_time: '2026-01-31T12:00:00.000Z', outcome: 'completed' };
    const ofUser = { job_id: randomUUID(), service_user_id: serviceUserId, outcome: 'failed' };
    expect(await Promise.all([exportOf(ofClient), exportOf(ofClient)])).toEqual([200, 200]);
    await scene.settle();
    expect([await exportOf(ofUser), await exportOf(ofClient)]).toEqual([200, 200]);
    expect(await exportOf({ ...ofUser, job_id: randomUUID(), service_user_id: serviceUserId + 1_000_000 })).toBe(200);
    expect(await exportOf({ ...ofUser, outcome: 'unknown' })).toBe(400);
    await scene.settle();
    expect(scene.receiver.received.map(({ id, data }) => [id, data])).toEqual([
      [`msg_${ofClient.job_id}`, ofClient],
      [`msg_${ofUser.job_id}`, ofUser],
    ]);
  });
});
