import { waitUntil } from '@tributary/test-environment';
import type { CollectionReport, ConnectionForCollection } from '@tributary/contracts';
import request, { type Response } from 'supertest';
import { type ConnectedSystem, type Person, connect, connectionsOf, newHealthSystem, newPerson } from './connect-flow';
import { type RunningForTest, credentialsOf, runForTest } from './running-service';
import { WebhookReceiver } from './webhook-receiver';

/** What the worker reports of a collection. */
export const collectedTypes: CollectionReport['types'] = [
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

/** A person with a health system, and a webhook endpoint of the person's client with its receiver. */
export class WebhookScene {
  service!: RunningForTest;
  person!: Person;
  at!: ConnectedSystem;
  receiver!: WebhookReceiver;
  endpointId!: string;

  /** Sends a request to the webhook routes, with the credentials of the person's client by default. */
  webhooks(
    method: 'get' | 'post' | 'patch' | 'delete',
    path = '',
    body?: object,
    headers: Record<string, string> = this.person.clientHeaders,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      request(this.service.app)[method](`/connect/v1/webhooks${path}`).set(headers).send(body).then(resolve, reject);
    });
  }

  create(url: string, more: object = {}): Promise<Response> {
    return this.webhooks('post', '', { url, ...more });
  }

  /** The endpoints of the person's client. */
  async listed(): Promise<Record<string, unknown>[]> {
    return ((await this.webhooks('get')).body as { entry: Record<string, unknown>[] }).entry;
  }

  /** Sends a request as the worker. */
  async internal(method: 'get' | 'post' | 'put', path: string, body?: object): Promise<Response> {
    return request(this.service.internal)
      [method](`/internal/v1/connections/${path}`)
      .set('Authorization', credentialsOf('ingestion-worker'))
      .send(body);
  }

  /** Reports on the collection of the person's first connection. */
  async report(body: CollectionReport): Promise<ConnectionForCollection> {
    const [entry] = await connectionsOf(this.service, this.person);
    const connection = (await this.internal('get', entry?.connection_id ?? '')).body as ConnectionForCollection;
    const path = `${connection.connection_id}/collections/${connection.collection_id}`;
    expect((await this.internal('put', path, body)).status).toBe(200);
    return connection;
  }

  /** Requests another collection. */
  async again(): Promise<void> {
    const [entry] = await connectionsOf(this.service, this.person);
    await request(this.service.app)
      .post(`/connect/v1/connections/${entry?.connection_id}/refresh`)
      .set('Authorization', `Bearer ${this.person.token}`);
  }

  async connectAndComplete(): Promise<ConnectionForCollection> {
    await connect(this.service, this.person, this.at);
    return this.report({ state: 'completed', types: collectedTypes });
  }

  /** The types of the events that the receiver has got. */
  received(): string[] {
    return this.receiver.received.map(({ type }) => type);
  }

  /** The number of pending deliveries to the endpoint. */
  async waiting(): Promise<number> {
    const pending = `SELECT FROM webhook_delivery WHERE endpoint_id = $1 AND state = 'pending'`;
    return (await this.service.sql(pending, [this.endpointId])).length;
  }

  async settle(): Promise<void> {
    await waitUntil(async () => (await this.waiting()) === 0);
  }

  /** Makes the endpoint due. */
  async lookNow(): Promise<void> {
    await this.service.sql('UPDATE webhook_endpoint SET next_due_at = now() WHERE endpoint_id = $1', [this.endpointId]);
  }

  /** Makes the endpoint and all of its deliveries due. */
  async dueNow(): Promise<void> {
    await this.service.sql('UPDATE webhook_delivery SET due_at = now() WHERE endpoint_id = $1', [this.endpointId]);
    await this.lookNow();
  }

  /** Moves the first failure of the endpoint and the first attempt of its event into the past. */
  async failingFor(interval: string): Promise<void> {
    const values = [this.endpointId, interval];
    await this.service.sql(
      `UPDATE webhook_endpoint SET failing_since = now() - $2::interval WHERE endpoint_id = $1`,
      values,
    );
    await this.service.sql(
      `UPDATE webhook_delivery SET first_attempt_at = now() - $2::interval, attempts = 9
       WHERE endpoint_id = $1 AND attempts > 0`,
      values,
    );
    await this.dueNow();
  }

  /** Waits until an event has had a number of attempts or more. */
  async attempted(times: number): Promise<void> {
    const attempted = 'SELECT FROM webhook_delivery WHERE endpoint_id = $1 AND attempts >= $2';
    await waitUntil(async () => (await this.service.sql(attempted, [this.endpointId, times])).length > 0);
  }

  /** Adds pending events, each of another connection. */
  async moreEvents(howMany: number): Promise<void> {
    await this.service.sql(
      `WITH event AS (
         INSERT INTO webhook_event (event_id, client_id, type, service_user_id, connection_id, body)
         SELECT gen_random_uuid(), $2, 'connection.active', $3, gen_random_uuid(),
           json_build_object('type', 'connection.active', 'timestamp', now(), 'data', json_build_object('n', n))::text
         FROM generate_series(1, $4) n RETURNING *)
       INSERT INTO webhook_delivery (endpoint_id, event_id, sequence, type, created_at, connection_id, state)
       SELECT $1, event_id, sequence, type, created_at, connection_id, 'pending' FROM event`,
      [this.endpointId, this.person.clientId, this.person.serviceUserId, howMany],
    );
    await this.lookNow();
  }
}

/**
 * Registers the hooks of a test file that make a new scene for each test, on one service.
 * @param deliverEverySeconds by default the service delivers all the time; '3600': only what a test leases is delivered
 */
export function webhookScene(deliverEverySeconds = '0.05'): WebhookScene {
  const scene = new WebhookScene();
  beforeAll(async () => {
    scene.service = await runForTest({ DELIVER_WEBHOOKS_EVERY_SECONDS: deliverEverySeconds });
  });
  afterAll(() => scene.service.stop());
  beforeEach(async () => {
    scene.person = await newPerson(scene.service);
    scene.at = await newHealthSystem(scene.service);
    scene.receiver = await WebhookReceiver.listen();
    const created = (await scene.create(scene.receiver.url)).body as { endpoint_id: string; secret: string };
    scene.endpointId = created.endpoint_id;
    scene.receiver.secret = created.secret;
  });
  afterEach(async () => {
    await scene.service.sql('DELETE FROM webhook_endpoint');
    await Promise.all([scene.at.system.close(), scene.receiver.close()]);
  });
  return scene;
}
