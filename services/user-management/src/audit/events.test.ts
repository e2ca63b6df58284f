import { waitUntil } from '@tributary/test-environment';
import { type NewAuditEvent, auditEventSchema } from '@tributary/audit-log';
import request from 'supertest';
import { connect, connectionsOf } from '../../test/connect-flow';
import { webhookScene } from '../../test/webhook-scene';

const scene = webhookScene();

/** The events of the person's client or about the person, from here on. */
function eventsSince(): () => NewAuditEvent[] {
  const from = scene.service.events.length;
  return () =>
    scene.service.events
      .slice(from)
      .filter(
        ({ agent, subject }) => agent.clientId === scene.person.clientId || subject === scene.person.serviceUserId,
      );
}

describe('the audit log of user-management', () => {
  it('has what is done with users', async () => {
    const events = eventsSince();
    const { clientHeaders } = scene.person;
    const users = (method: 'post' | 'put' | 'delete', body: object) =>
      request(scene.service.app)[method]('/user-management/v1/user').set(clientHeaders).send(body);
    const created = await users('post', { app_user_id: 'jane.doe@example.com' }).expect(200);
    const { service_user_id: id } = created.body as { service_user_id: number };
    await request(scene.service.app)
      .get('/user-management/v1/user?app_user_id=jane.doe@example.com')
      .set(clientHeaders)
      .expect(200);
    await users('put', { service_user_id: id, active: false }).expect(200);
    await users('delete', { service_user_id: id }).expect(200);
    await users('delete', { service_user_id: id }).expect(404);
    const ofUsers = events().filter(({ kind }) => kind.startsWith('user.'));
    expect(ofUsers.map(({ kind, outcome, status, subject }) => [kind, outcome, status, subject])).toEqual([
      ['user.created', 'success', 200, id],
      ['user.read', 'success', 200, id],
      ['user.changed', 'success', 200, id],
      ['user.deleted', 'success', 200, id],
      ['user.deleted', 'refused', 404, undefined],
    ]);
    expect(JSON.stringify(events())).not.toContain('jane');
  });

  it('names the developer who acts for the client', async () => {
    const { auth, app } = scene.service;
    const client = auth.addClient();
    auth.clients.set(client.client_id, { ...client, developer: 'jane-1' });
    const headers = { client_id: client.client_id, client_secret: client.client_secret };
    const created = await request(app)
      .post('/user-management/v1/user')
      .set(headers)
      .send({ app_user_id: 'a' })
      .expect(200);
    const { service_user_id: id } = created.body as { service_user_id: number };
    await request(app).get(`/connect/v1/connections?service_user_id=${id}`).set(headers).expect(200);
    const agent = { clientId: client.client_id, developer: 'jane-1' };
    expect(
      scene.service.events
        .filter((event) => event.agent.clientId === client.client_id)
        .map((event) => [event.kind, event.agent]),
    ).toEqual([
      ['user.created', agent],
      ['connection.read', agent],
    ]);
  });

  it('has no event about a user whom another client names', async () => {
    const events = eventsSince();
    const { client_id, client_secret } = scene.service.auth.addClient();
    const named = { service_user_id: scene.person.serviceUserId };
    const send = (method: 'post' | 'put' | 'delete', path = '') =>
      request(scene.service.app)[method](`/user-management/v1/user${path}`).set({ client_id, client_secret });
    await send('post', '/auth-code').send(named).expect(404);
    await send('put')
      .send({ ...named, active: false })
      .expect(404);
    await send('delete').send(named).expect(404);
    await request(scene.service.app)
      .get('/user-management/v1/user')
      .query(named)
      .set({ client_id, client_secret })
      .expect(200);
    expect(scene.service.events.filter(({ agent }) => agent.clientId === client_id)).toHaveLength(4);
    // A webhook of an earlier test can be delivered meanwhile.
    expect(events().filter(({ kind }) => kind !== 'webhook.sent')).toEqual([]);
  });

  it('has connects, what the worker gets, what clients read, and the end of a connection', async () => {
    const events = eventsSince();
    await connect(scene.service, scene.person, scene.at);
    const [connection] = await connectionsOf(scene.service, scene.person);
    const id = connection?.connection_id ?? '';
    await scene.internal('post', `${id}/access-token`, {});
    const [collection] = await scene.service.sql('SELECT collection_id FROM connection WHERE connection_id = $1', [id]);
    for (const state of ['collecting', 'collecting'])
      await scene.internal('put', `${id}/collections/${String(collection!['collection_id'])}`, { state, types: [] });
    await request(scene.service.app)
      .delete(`/connect/v1/connections/${id}`)
      .set('Authorization', `Bearer ${scene.person.token}`)
      .expect(200);
    const own = { clientId: scene.person.clientId, serviceUserId: scene.person.serviceUserId };
    const visited = { type: 'HealthSystem', id: String(scene.at.id) };
    const about = [{ type: 'Connection', id }];
    const visitor = { clientId: scene.person.clientId };
    // Webhooks are delivered asynchronously.
    expect(events().filter(({ kind }) => kind !== 'webhook.sent')).toMatchObject([
      { kind: 'connect.begun', outcome: 'success', status: 302, agent: visitor, entities: [visited] },
      {
        kind: 'consent.given',
        agent: visitor,
        entities: [{ type: 'ConsentReceipt', id: connection?.consent?.receipt_id }, ...about],
      },
      { kind: 'connect.finished', status: 302, agent: visitor, entities: [visited, { ...about[0], release: 'r4' }] },
      { kind: 'connection.read', agent: own },
      {
        kind: 'grant.token-used',
        agent: { service: 'ingestion-worker', clientId: scene.person.clientId },
        entities: about,
      },
      ...['collecting', 'collecting'].map((query) => ({
        kind: 'collection.reported',
        outcome: 'success',
        agent: { service: 'ingestion-worker', clientId: scene.person.clientId },
        entities: [{ ...about[0], query }],
      })),
      {
        kind: 'consent.ended',
        agent: visitor,
        entities: [{ type: 'ConsentReceipt', id: connection?.consent?.receipt_id, query: 'user' }, ...about],
      },
      { kind: 'connection.revoked', agent: own, entities: about },
    ]);
    for (const { subject } of events()) expect(subject).toBe(scene.person.serviceUserId);
    expect(JSON.stringify(events())).not.toContain(scene.person.token);
  });

  it('has each attempt to deliver a webhook, and the changes of endpoints', async () => {
    const events = eventsSince();
    scene.receiver.status = 500;
    await scene.connectAndComplete();
    await scene.attempted(1);
    scene.receiver.status = 200;
    await scene.dueNow();
    await waitUntil(() =>
      Promise.resolve(events().some(({ outcome, kind }) => kind === 'webhook.sent' && outcome === 'success')),
    );
    await scene.webhooks('post', `/${scene.endpointId}/rotate-secret`);
    const sent = events().filter(({ kind }) => kind === 'webhook.sent');
    expect(sent[0]).toMatchObject({
      outcome: 'failed',
      status: 500,
      agent: { clientId: scene.person.clientId },
      subject: scene.person.serviceUserId,
      entities: [
        { type: 'WebhookEndpoint', id: scene.endpointId },
        { type: 'WebhookEvent', query: expect.stringMatching(/^(connection|collection)\./) as string },
      ],
    });
    expect(events().findLast(({ kind }) => kind !== 'webhook.sent')).toMatchObject({
      kind: 'webhook.configured',
      action: 'U',
      entities: [{ type: 'WebhookEndpoint', id: scene.endpointId }],
    });
    for (const event of events()) auditEventSchema.parse({ at: 0, ...event });
  });

  it('does not mark a delivery that cannot be recorded, which is sent again', async () => {
    const { events } = scene.service;
    const push = events.push.bind(events);
    let refused = 0;
    events.push = (...added) => {
      if (refused === 0 && added[0]?.kind === 'webhook.sent') {
        refused++;
        throw new Error('the audit log is not available');
      }
      return push(...added);
    };
    await scene.connectAndComplete();
    await waitUntil(() => Promise.resolve(refused === 1));
    events.push = push;
    const pending = await scene.service.sql(
      `UPDATE webhook_delivery SET lease_until = now() WHERE endpoint_id = $1 AND state = 'pending' RETURNING event_id`,
      [scene.endpointId],
    );
    expect(pending.length).toBeGreaterThan(0);
    await scene.dueNow();
    await scene.settle();
    expect(await scene.waiting()).toBe(0);
  });
});
