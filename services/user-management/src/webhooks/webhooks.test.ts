import { type CollectionReport, type ConnectionForCollection, webhookEvent } from '@tributary/contracts';
import request, { type Response } from 'supertest';
import {
  type ConnectedSystem,
  type Person,
  connect,
  connectionsOf,
  newHealthSystem,
  newPerson,
} from '../../test/connect-flow';
import { type RunningForTest, runForTest, workerKey } from '../../test/running-service';
import { waitUntil } from '../../test/wait-until';
import { WebhookReceiver } from '../../test/webhook-receiver';

const credentials = `Basic ${Buffer.from(`ingestion-worker:${workerKey}`).toString('base64')}`;
const anId = '7d9b6c0e-3f0a-4a51-9f60-0d6f0f6a7b11';
const types: CollectionReport['types'] = [
  {
    type: 'Patient',
    read: 'full',
    fetched: 1,
    stored: 1,
    unchanged: 0,
    failed: 0,
    created: 1,
    deleted: 0,
    done: true,
    outcome: 'complete',
    warnings: [],
  },
  {
    type: 'Observation',
    read: 'full',
    created: 7,
    deleted: 0,
    fetched: 12,
    stored: 7,
    unchanged: 4,
    failed: 1,
    done: true,
    outcome: 'partial',
    warnings: [{ code: 'resource_not_stored', message: 'a resource was not stored' }],
  },
];

describe('webhooks', () => {
  let service: RunningForTest;
  let person: Person;
  let at: ConnectedSystem;
  let receiver: WebhookReceiver;
  let endpointId: string;
  beforeAll(async () => {
    service = await runForTest({ DELIVER_WEBHOOKS_EVERY_SECONDS: '0.05' });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    person = await newPerson(service);
    at = await newHealthSystem(service);
    receiver = await WebhookReceiver.listen();
    const created = (await create(receiver.url)).body as { endpoint_id: string; secret: string };
    endpointId = created.endpoint_id;
    receiver.secret = created.secret;
  });
  afterEach(async () => {
    await service.sql('DELETE FROM webhook_endpoint');
    await Promise.all([at.system.close(), receiver.close()]);
  });

  const webhooks = async (
    method: 'get' | 'post' | 'delete',
    path = '',
    body?: object,
    headers: Record<string, string> = person.clientHeaders,
  ): Promise<Response> => request(service.app)[method](`/connect/v1/webhooks${path}`).set(headers).send(body);
  const create = (url: string): Promise<Response> => webhooks('post', '', { url });
  const listed = async (): Promise<Record<string, unknown>[]> =>
    ((await webhooks('get')).body as { entry: Record<string, unknown>[] }).entry;
  const internal = async (method: 'get' | 'post' | 'put', path: string, body?: object): Promise<Response> =>
    request(service.internal)[method](`/internal/v1/connections/${path}`).set('Authorization', credentials).send(body);
  const current = async (): Promise<ConnectionForCollection> => {
    const [entry] = await connectionsOf(service, person);
    return (await internal('get', entry?.connection_id ?? '')).body as ConnectionForCollection;
  };
  const report = async (body: CollectionReport): Promise<ConnectionForCollection> => {
    const connection = await current();
    expect(
      (await internal('put', `${connection.connection_id}/collections/${connection.collection_id}`, body)).status,
    ).toBe(200);
    return connection;
  };
  const again = async (): Promise<void> => {
    const [entry] = await connectionsOf(service, person);
    await request(service.app)
      .post(`/connect/v1/connections/${entry?.connection_id}/refresh`)
      .set('Authorization', `Bearer ${person.token}`);
  };
  const connectAndComplete = async (): Promise<ConnectionForCollection> => {
    await connect(service, person, at);
    return report({ state: 'completed', types });
  };
  const received = (): string[] => receiver.received.map(({ type }) => type);
  const waiting = async (): Promise<number> =>
    (await service.sql('SELECT 1 FROM webhook_delivery WHERE endpoint_id = $1', [endpointId])).length;
  const settle = (): Promise<void> => waitUntil(async () => (await waiting()) === 0);

  describe('events', () => {
    it('report an active connection and a completed collection: signed, with ids and counts', async () => {
      const { connection_id } = await connectAndComplete();
      await settle();
      expect(received()).toEqual(['connection.active', 'collection.completed']);
      expect(receiver.forged).toBe(0);
      const about = {
        service_user_id: person.serviceUserId,
        connection_id,
        health_system_id: at.id,
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
      expect(receiver.received.map(({ data }) => data)).toEqual([
        { ...about, ...result },
        { ...about, ...result, types: counts },
      ]);
      for (const { id, signatures, type, ...event } of receiver.received) {
        expect(id).toMatch(/^msg_[0-9a-f-]{36}$/);
        expect(signatures).toBe(1);
        expect(webhookEvent(type as 'connection.active').safeParse({ type, ...event }).success).toBe(true);
      }
    });

    it('of a status are recorded when it changes; progress and repeated reports are no events', async () => {
      await connect(service, person, at);
      await report({ state: 'collecting', types });
      await report({
        state: 'failed',
        types: [],
        error: { code: 'types_failed', message: 'Observation: its pages lead in a circle' },
      });
      await report({ state: 'failed', types: [] });
      await again();
      await report({ state: 'failed', types: [] });
      await again();
      await report({ state: 'completed', types });
      await again();
      await report({ state: 'completed', types: [] });
      await settle();
      expect(received()).toEqual([
        'connection.failed',
        'connection.active',
        'collection.completed',
        'collection.completed',
      ]);
      expect(receiver.received[0]?.data['error']).toEqual({
        code: 'types_failed',
        message: 'Observation: its pages lead in a circle',
      });
    });

    it('report needs_reauthorization once per connection of the grant, and active after the user connects again', async () => {
      const shared = await newHealthSystem(service, ['dstu2', 'r4']);
      await connect(service, person, shared);
      const entries = await connectionsOf(service, person);
      shared.system.liveRefreshToken = 'another';
      for (const { connection_id } of [...entries, ...entries]) {
        const token = (await internal('post', `${connection_id}/access-token`, {})).body as { token_id?: string };
        if (token.token_id)
          await internal('post', `${connection_id}/access-token`, { refused_token_id: token.token_id });
      }
      await settle();
      expect(received()).toEqual(['connection.needs_reauthorization', 'connection.needs_reauthorization']);
      expect(new Set(receiver.received.map(({ data }) => data['connection_id']))).toEqual(
        new Set(entries.map(({ connection_id }) => connection_id)),
      );
      await connect(service, person, shared);
      await report({ state: 'completed', types: [] });
      await settle();
      expect(received().slice(2)).toEqual(['connection.active', 'collection.completed']);
      await shared.system.close();
    });

    it('are sent to each endpoint of the client under one id, and to no other client', async () => {
      const second = await WebhookReceiver.listen();
      const stranger = await newPerson(service);
      second.secret = ((await create(second.url)).body as { secret: string }).secret;
      const strangersReceiver = await WebhookReceiver.listen();
      await webhooks('post', '', { url: strangersReceiver.url }, stranger.clientHeaders);
      await connectAndComplete();
      await waitUntil(() => receiver.received.length === 2 && second.received.length === 2);
      expect(second.received).toEqual(receiver.received);
      expect(strangersReceiver.received.length + strangersReceiver.forged).toBe(0);
      await Promise.all([second.close(), strangersReceiver.close()]);
    });

    it('are deleted with their user, and not sent during the deletion', async () => {
      receiver.status = 500;
      await connectAndComplete();
      await waitUntil(() => receiver.received.length >= 1);
      await service.sql(
        `UPDATE service_user SET state = 'deleting', app_user_id_sealed = NULL, app_user_id_blind_index = NULL WHERE service_user_id = $1`,
        [person.serviceUserId],
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      await service.sql('UPDATE webhook_delivery SET due_at = now()');
      await service.sql('UPDATE webhook_endpoint SET next_due_at = now()');
      const had = receiver.received.length;
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect([receiver.received.length, await waiting()]).toEqual([had, 2]);
      expect(
        (
          await request(service.app)
            .delete('/user-management/v1/user')
            .set(person.clientHeaders)
            .send({ service_user_id: person.serviceUserId })
        ).status,
      ).toBe(200);
      expect(await waiting()).toBe(0);
    });
  });

  describe('delivery', () => {
    const lookNow = (): Promise<unknown> =>
      service.sql('UPDATE webhook_endpoint SET next_due_at = now() WHERE endpoint_id = $1', [endpointId]);
    const dueNow = async (): Promise<void> => {
      await service.sql('UPDATE webhook_delivery SET due_at = now() WHERE endpoint_id = $1', [endpointId]);
      await lookNow();
    };
    /** Moves the first failure of the endpoint and the first attempt of its event into the past. */
    const failingFor = async (interval: string): Promise<void> => {
      await service.sql(`UPDATE webhook_endpoint SET failing_since = now() - $2::interval WHERE endpoint_id = $1`, [
        endpointId,
        interval,
      ]);
      await service.sql(
        `UPDATE webhook_delivery SET first_attempt_at = now() - $2::interval, attempts = 9 WHERE endpoint_id = $1 AND attempts > 0`,
        [endpointId, interval],
      );
      await dueNow();
    };
    /** Waits until an event has had a number of attempts. */
    const attempted = (times: number): Promise<void> =>
      waitUntil(
        async () =>
          (
            await service.sql('SELECT FROM webhook_delivery WHERE endpoint_id = $1 AND attempts = $2', [
              endpointId,
              times,
            ])
          ).length > 0,
      );
    /** Adds connections of the person, each with a pending event. */
    const moreEvents = async (howMany: number): Promise<void> => {
      await service.sql(
        `INSERT INTO webhook_delivery (endpoint_id, event_id, service_user_id, connection_id, body)
         SELECT $1, gen_random_uuid(), $2, gen_random_uuid(), json_build_object('type', 'connection.active', 'timestamp', now(), 'data', json_build_object('n', n))::text FROM generate_series(1, $3) n`,
        [endpointId, person.serviceUserId, howMany],
      );
      await lookNow();
    };

    it.each([500, 302, 404])('is retried after a %i, under the same id, with exponential backoff', async (status) => {
      receiver.status = status;
      await connectAndComplete();
      for (const [attempt, least, most] of [
        [1, 3, 6],
        [2, 15, 24],
        [3, 63, 96],
      ] as const) {
        await attempted(attempt);
        const pauses = await service.sql(
          'SELECT extract(epoch FROM due_at - now())::float AS seconds FROM webhook_delivery WHERE endpoint_id = $1 AND attempts > 0',
          [endpointId],
        );
        expect(pauses).toHaveLength(1);
        for (const { seconds } of pauses as { seconds: number }[]) {
          expect(seconds).toBeGreaterThan(least - 2);
          expect(seconds).toBeLessThan(most);
        }
        if (attempt === 3) receiver.status = 200;
        await dueNow();
      }
      await settle();
      expect(receiver.received).toHaveLength(5);
      expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
      expect(new Set(receiver.received.map(({ timestamp }) => timestamp)).size).toBeLessThanOrEqual(2);
      expect((await listed())[0]?.['status']).toBe('enabled');
    });

    it('ends after a day: the endpoint is disabled with a reason, until the client enables it', async () => {
      receiver.status = 503;
      await connectAndComplete();
      await attempted(1);
      await failingFor('23 hours 59 minutes');
      await attempted(10);
      const [last] = await service.sql(
        'SELECT max(extract(epoch FROM due_at - now())::float) AS seconds FROM webhook_delivery WHERE endpoint_id = $1',
        [endpointId],
      );
      expect(last?.['seconds']).toBeLessThan(61);
      await failingFor('24 hours');
      await waitUntil(async () => (await listed())[0]?.['status'] === 'disabled');
      expect(await listed()).toEqual([
        {
          endpoint_id: endpointId,
          url: receiver.url,
          status: 'disabled',
          disabled_reason: 'no event was accepted for 24 hours; at the last attempt it answered 503',
          disabled_at: expect.any(String),
          created_at: expect.any(String),
        },
      ]);
      await again();
      await report({ state: 'completed', types: [] });
      expect(await waiting()).toBe(0);
      receiver.status = 204;
      const had = receiver.received.length;
      expect((await webhooks('post', `/${endpointId}/enable`)).body).toEqual({
        success: true,
        endpoint_id: endpointId,
        url: receiver.url,
        status: 'enabled',
        created_at: expect.any(String),
      });
      await again();
      await report({ state: 'completed', types: [] });
      await settle();
      expect(received().slice(had)).toEqual(['collection.completed']);
    });

    it('ends at once after a 410', async () => {
      receiver.status = 410;
      await connectAndComplete();
      await waitUntil(async () => (await listed())[0]?.['status'] === 'disabled');
      expect((await listed())[0]?.['disabled_reason']).toBe('it answered 410: it wants no more events');
    });

    it('reports why an endpoint did not respond', async () => {
      await receiver.close();
      await connectAndComplete();
      await attempted(1);
      await failingFor('25 hours');
      await waitUntil(async () => (await listed())[0]?.['status'] === 'disabled');
      expect((await listed())[0]?.['disabled_reason']).toContain('there was no answer: ECONNREFUSED');
      receiver = await WebhookReceiver.listen();
    });

    it('of the events of one connection is sequential, also with several replicas; a slow endpoint delays no other', async () => {
      await service.replica();
      receiver.delayMs = 150;
      const fast = await newPerson(service);
      const fastReceiver = await WebhookReceiver.listen();
      fastReceiver.secret = (
        (await webhooks('post', '', { url: fastReceiver.url }, fast.clientHeaders)).body as { secret: string }
      ).secret;
      await connectAndComplete();
      for (let i = 0; i < 5; i++) {
        await again();
        await report({ state: 'completed', types: [{ ...types[0]!, fetched: i }] });
      }
      const slow = person;
      person = fast;
      await connectAndComplete();
      person = slow;
      await waitUntil(() => fastReceiver.received.length === 2);
      await settle();
      expect(receiver.maxConcurrent).toBe(1);
      const fetched = receiver.received
        .slice(2)
        .map(({ data }) => (data['types'] as { fetched: number }[])[0]?.fetched);
      expect(fetched).toEqual([0, 1, 2, 3, 4]);
      await fastReceiver.close();
    });

    it('is repeated after the lease of a dead process expires', async () => {
      // The endpoint accepts the event, and the process cannot record it, as after a crash.
      await service.sql('CREATE SEQUENCE failures');
      await service.sql(
        `CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('failures') = 1 THEN RAISE EXCEPTION 'killed'; END IF; RETURN old; END $$`,
      );
      await service.sql(
        'CREATE TRIGGER fail_once BEFORE DELETE ON webhook_delivery FOR EACH ROW EXECUTE FUNCTION fail_once()',
      );
      await connectAndComplete();
      await waitUntil(async () => (await service.sql(`SELECT FROM failures WHERE is_called`)).length > 0);
      await service.sql(`UPDATE webhook_delivery SET lease_until = now() WHERE endpoint_id = $1`, [endpointId]);
      await lookNow();
      await settle();
      await service.sql(
        'DROP TRIGGER fail_once ON webhook_delivery; DROP FUNCTION fail_once(); DROP SEQUENCE failures',
      );
      expect(received()).toEqual(['connection.active', 'connection.active', 'collection.completed']);
      expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
    });

    it('is concurrent for different connections, with at most eight events per endpoint over all replicas', async () => {
      await service.replica();
      receiver.delayMs = 60_000;
      await moreEvents(30);
      await waitUntil(() => receiver.received.length === 8);
      await lookNow();
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(receiver.maxConcurrent).toBe(8);
      receiver.respondNow();
      await settle();
      expect(receiver.maxConcurrent).toBe(8);
      expect(receiver.received).toHaveLength(30);
    });

    it('tries a failing endpoint with one event at a time, with delays per endpoint', async () => {
      receiver.status = 500;
      await moreEvents(30);
      const failing = async (): Promise<Record<string, unknown>> =>
        (
          await service.sql(
            'SELECT failing_since IS NOT NULL AS failing, extract(epoch FROM next_due_at - now())::float AS seconds FROM webhook_endpoint WHERE endpoint_id = $1',
            [endpointId],
          )
        )[0] ?? {};
      await waitUntil(
        async () =>
          (
            await service.sql('SELECT FROM webhook_delivery WHERE endpoint_id = $1 AND lease_until IS NOT NULL', [
              endpointId,
            ])
          ).length === 0 && (await failing())['failing'] === true,
      );
      const had = receiver.received.length;
      expect(had).toBeLessThanOrEqual(8);
      await service.sql(
        `UPDATE webhook_endpoint SET failing_since = now() - interval '20 minutes' WHERE endpoint_id = $1`,
        [endpointId],
      );
      await lookNow();
      await waitUntil(
        async () =>
          receiver.received.length > had &&
          Number((await failing())['seconds']) > 500 &&
          (
            await service.sql('SELECT FROM webhook_delivery WHERE endpoint_id = $1 AND lease_until IS NOT NULL', [
              endpointId,
            ])
          ).length === 0,
      );
      expect(receiver.received.length).toBe(had + 1);
      receiver.status = 204;
      await dueNow();
      await settle();
    });

    it('is delayed for an endpoint whose secret cannot be opened, as if it did not respond', async () => {
      await service.sql(`UPDATE webhook_endpoint SET secret_sealed = 'nonsense' WHERE endpoint_id = $1`, [endpointId]);
      await moreEvents(1);
      await attempted(1);
      expect(receiver.received.length + receiver.forged).toBe(0);
    });

    it('continues for a recovered endpoint when an old event fails again', async () => {
      await moreEvents(2);
      await settle();
      receiver.status = 500;
      await moreEvents(1);
      await attempted(1);
      await service.sql(
        `UPDATE webhook_delivery SET first_attempt_at = now() - interval '25 hours' WHERE endpoint_id = $1`,
        [endpointId],
      );
      await dueNow();
      await attempted(2);
      expect((await listed())[0]?.['status']).toBe('enabled');
      receiver.status = 204;
      await dueNow();
      await settle();
    });

    it('drops only the event that is rejected for a day while others are accepted', async () => {
      receiver.status = 500;
      await moreEvents(1);
      await attempted(1);
      await service.sql(
        `UPDATE webhook_delivery SET first_attempt_at = now() - interval '25 hours', attempts = 8 WHERE endpoint_id = $1`,
        [endpointId],
      );
      await dueNow();
      await settle();
      expect((await listed())[0]?.['status']).toBe('enabled');
      receiver.status = 204;
      await moreEvents(1);
      await settle();
    });
  });

  describe('endpoints', () => {
    it('return their secret once, and store it sealed', async () => {
      expect(receiver.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(await listed()).toEqual([
        { endpoint_id: endpointId, url: receiver.url, status: 'enabled', created_at: expect.any(String) },
      ]);
      const [row] = (await service.sql('SELECT secret_sealed FROM webhook_endpoint')) as { secret_sealed: Buffer }[];
      expect(row?.secret_sealed.includes(Buffer.from(receiver.secret.slice(6), 'base64'))).toBe(false);
    });

    it('sign with the previous secret too for a day after a rotation', async () => {
      const rotated = (await webhooks('post', `/${endpointId}/rotate-secret`)).body as {
        secret: string;
        previous_secret_until: string;
      };
      expect(Date.parse(rotated.previous_secret_until) - Date.now()).toBeGreaterThan(23 * 3_600_000);
      const test = (): Promise<Response> => webhooks('post', `/${endpointId}/test`);
      await test();
      receiver.secret = rotated.secret;
      await test();
      expect(receiver.received.map(({ signatures }) => signatures)).toEqual([2, 2]);
      await service.sql(`UPDATE webhook_endpoint SET previous_secret_until = now() - interval '1 second'`);
      await test();
      expect(receiver.received.map(({ signatures }) => signatures)).toEqual([2, 2, 1]);
      expect(receiver.forged).toBe(0);
    });

    it('are tested with one attempt', async () => {
      expect((await webhooks('post', `/${endpointId}/test`)).body).toEqual({
        success: true,
        delivered: true,
        status: 204,
      });
      expect(receiver.received).toMatchObject([{ type: 'webhook.test', data: { endpoint_id: endpointId } }]);
      receiver.status = 302;
      expect((await webhooks('post', `/${endpointId}/test`)).body).toEqual({
        success: true,
        delivered: false,
        status: 302,
      });
      await receiver.close();
      expect((await webhooks('post', `/${endpointId}/test`)).body).toEqual({
        success: true,
        delivered: false,
        reason: 'ECONNREFUSED',
      });
      expect(await waiting()).toBe(0);
      receiver = await WebhookReceiver.listen();
    });

    it('are deleted with their pending deliveries', async () => {
      receiver.status = 500;
      await connectAndComplete();
      expect((await webhooks('delete', `/${endpointId}`)).body).toEqual({ success: true });
      expect(await waiting()).toBe(0);
      expect(await listed()).toEqual([]);
      expect((await webhooks('delete', `/${endpointId}`)).status).toBe(404);
    });

    it('are found by their client only', async () => {
      const stranger = (await newPerson(service)).clientHeaders;
      for (const [method, path] of [
        ['delete', ''],
        ['post', '/test'],
        ['post', '/enable'],
        ['post', '/rotate-secret'],
      ] as const) {
        const response = await webhooks(method, `/${endpointId}${path}`, undefined, stranger);
        expect([response.status, response.body]).toMatchObject([
          404,
          { success: false, error_code: 'webhook_endpoint_not_found' },
        ]);
        expect((await webhooks(method, `/${anId}${path}`)).status).toBe(404);
        expect((await webhooks(method, `/nonsense${path}`)).status).toBe(400);
      }
      expect((await webhooks('get', '', undefined, stranger)).body).toEqual({ success: true, entry: [] });
      for (const headers of [
        {},
        { ...person.clientHeaders, client_secret: 'wrong' },
        { Authorization: `Bearer ${person.token}` },
      ])
        expect((await webhooks('get', '', undefined, headers)).status).toBe(401);
    });

    it('need a URL that can be called; a client has at most ten', async () => {
      for (const url of [
        'nowhere',
        'ftp://example.org/',
        'javascript:alert(1)',
        'https://user:word@example.org/',
        `https://example.org/${'x'.repeat(2048)}`,
      ])
        expect((await create(url)).status).toBe(400);
      expect((await webhooks('post', '', {})).status).toBe(400);
      const all = await Promise.all(Array.from({ length: 12 }, () => create(receiver.url)));
      expect(all.filter(({ status }) => status === 200)).toHaveLength(9);
      expect(all.filter(({ status }) => status === 409)).toHaveLength(3);
    });
  });

  it('are part of the OpenAPI document', async () => {
    const document = (await request(service.app).get('/openapi.json')).body as {
      paths: Record<string, unknown>;
      webhooks: Record<string, { post: { parameters: { name: string }[] } }>;
    };
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/connect/v1/webhooks'))).toHaveLength(5);
    expect(Object.keys(document.webhooks)).toEqual([
      'connection.active',
      'connection.needs_reauthorization',
      'connection.failed',
      'collection.completed',
      'webhook.test',
    ]);
    expect(document.webhooks['collection.completed']?.post.parameters.map(({ name }) => name)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
  });
});

describe('webhooks after a crash, and outside the sandbox mode', () => {
  it('are delivered by the next process when one ends between event and delivery', async () => {
    const service = await runForTest();
    const receiver = await WebhookReceiver.listen();
    const person = await newPerson(service);
    const at = await newHealthSystem(service);
    receiver.secret = (
      (await request(service.app).post('/connect/v1/webhooks').set(person.clientHeaders).send({ url: receiver.url }))
        .body as { secret: string }
    ).secret;
    await connect(service, person, at);
    const [row] = (await service.sql('SELECT connection_id, collection_id FROM connection')) as {
      connection_id: string;
      collection_id: string;
    }[];
    await request(service.internal)
      .put(`/internal/v1/connections/${row?.connection_id}/collections/${row?.collection_id}`)
      .set('Authorization', credentials)
      .send({ state: 'completed', types });
    expect(receiver.received).toEqual([]);
    service.environment['DELIVER_WEBHOOKS_EVERY_SECONDS'] = '0.05';
    await service.replica();
    await waitUntil(() => receiver.received.length === 2);
    expect(receiver.received.map(({ type }) => type)).toEqual(['connection.active', 'collection.completed']);
    await service.stop();
    await Promise.all([at.system.close(), receiver.close()]);
  });

  it('are sent to https and public addresses only', async () => {
    const service = await runForTest({ SANDBOX_MODE: 'false', BASE_URL: 'https://tributary.test' });
    const person = await newPerson(service);
    for (const url of [
      'http://example.org/hook',
      'https://127.0.0.1/hook',
      'https://localhost/hook',
      'https://[::1]/hook',
      'https://169.254.169.254/latest',
    ]) {
      const response = await request(service.app).post('/connect/v1/webhooks').set(person.clientHeaders).send({ url });
      expect([response.status, response.body]).toMatchObject([
        400,
        { error: expect.stringContaining('the address is refused') },
      ]);
    }
    await service.stop();
  });
});
