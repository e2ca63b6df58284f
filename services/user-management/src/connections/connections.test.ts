import { randomUUID } from 'node:crypto';
import {
  type CollectionReport,
  type ConnectionForCollection,
  type HealthSystemAccess,
  collectionQueueName,
  collectionQueuePrefix,
} from '@tributary/contracts';
import { Queue } from 'bullmq';
import request, { type Response } from 'supertest';
import {
  type ConnectedSystem,
  type Person,
  admin,
  connect,
  connectionsOf,
  newHealthSystem,
  newPerson,
  refreshIsDue,
} from '../../test/connect-flow';
import { type RunningForTest, runForTest, workerKey } from '../../test/running-service';
import { waitUntil } from '../../test/wait-until';

const credentials = `Basic ${Buffer.from(`ingestion-worker:${workerKey}`).toString('base64')}`;

describe('connections', () => {
  let service: RunningForTest;
  let person: Person;
  let at: ConnectedSystem;
  let queue: Queue;
  beforeAll(async () => {
    service = await runForTest({ SWEEP_EVERY_SECONDS: '0.1' });
    queue = new Queue(collectionQueueName, {
      connection: { url: service.environment['REDIS_URL'] as string },
      prefix: collectionQueuePrefix,
      skipVersionCheck: true,
    });
  });
  afterAll(async () => {
    await queue.close();
    await service.stop();
  });
  beforeEach(async () => {
    person = await newPerson(service);
    at = await newHealthSystem(service);
  });
  afterEach(() => at.system.close());

  const internal = async (method: 'get' | 'post' | 'put', path: string, body?: object): Promise<Response> =>
    request(service.internal)[method](`/internal/v1/connections/${path}`).set('Authorization', credentials).send(body);
  const own = async (method: 'get' | 'post' | 'delete', path: string, token = person.token): Promise<Response> =>
    request(service.app)[method](`/connect/v1/connections${path}`).set('Authorization', `Bearer ${token}`);
  const connected = async (): Promise<ConnectionForCollection> => {
    await connect(service, person, at);
    const [entry] = await connectionsOf(service, person);
    return (await internal('get', entry?.connection_id ?? '')).body as ConnectionForCollection;
  };
  const report = (connection: ConnectionForCollection, body: CollectionReport): Promise<Response> =>
    internal('put', `${connection.connection_id}/collections/${connection.collection_id}`, body);
  const type = (name: string, stored: number, unchanged: number, done: boolean): CollectionReport['types'][number] => ({
    type: name,
    read: 'full',
    created: stored,
    deleted: 0,
    fetched: stored + unchanged,
    stored,
    unchanged,
    failed: 0,
    done,
    outcome: done ? 'complete' : 'pending',
    warnings: [],
  });
  const token = async ({ connection_id }: ConnectionForCollection, refused?: string): Promise<Response> =>
    internal('post', `${connection_id}/access-token`, refused ? { refused_token_id: refused } : {});

  const refreshFailures = async (): Promise<unknown> => {
    const output = await admin(service, 'connection', 'outcomes', '--health-system', String(at.id), '--json');
    return (JSON.parse(output) as { entry: { refresh_failures: unknown }[] }).entry[0]?.refresh_failures;
  };

  it('gives the worker the facts of a connection', async () => {
    const connection = await connected();
    expect(connection).toEqual({
      connection_id: expect.any(String),
      client_id: person.clientId,
      service_user_id: person.serviceUserId,
      health_system_id: at.id,
      fhirVersion: 'r4',
      fhir_base_url: `${at.system.url}/fhir/r4`,
      patient_id: 'patient-77',
      requested_scope: 'launch/patient openid fhirUser offline_access patient/*.read',
      granted_scope: 'launch/patient openid fhirUser offline_access patient/*.read',
      search_parameters: {},
      status: 'collecting',
      collection_id: expect.any(String),
      last_completed_at: null,
      is_full_requested: false,
    });
    expect((await token(connection)).body).toEqual({
      access_token: expect.stringMatching(/^access-/),
      token_id: expect.any(String),
      expires_at: expect.any(String),
    });
  });

  it('accepts service credentials only', async () => {
    const { connection_id } = await connected();
    for (const authorization of ['', `Bearer ${person.token}`, 'Basic eDp5'])
      expect(
        (
          await request(service.internal)
            .post(`/internal/v1/connections/${connection_id}/access-token`)
            .set('Authorization', authorization)
        ).status,
      ).toBe(401);
    expect(
      (await request(service.app).get(`/internal/v1/connections/${connection_id}`).set('Authorization', credentials))
        .status,
    ).toBe(404);
  });

  it('reports which connections exist, and which are revoked', async () => {
    const live = await connected();
    const other = await newHealthSystem(service);
    await connect(service, person, other);
    const revoked =
      (await connectionsOf(service, person)).find(({ connection_id }) => connection_id !== live.connection_id)
        ?.connection_id ?? '';
    await own('delete', `/${revoked}`);
    const response = await internal('post', 'status', { connection_ids: [live.connection_id, randomUUID(), revoked] });
    expect(response.status).toBe(200);
    const { connections } = response.body as { connections: { connection_id: string; status: string }[] };
    expect(new Map(connections.map(({ connection_id, status }) => [connection_id, status]))).toEqual(
      new Map([
        [live.connection_id, 'collecting'],
        [revoked, 'revoked'],
      ]),
    );
    expect((await internal('post', 'status', { connection_ids: ['nonsense'] })).status).toBe(400);
    expect(
      (await request(service.internal).post('/internal/v1/connections/status').send({ connection_ids: [] })).status,
    ).toBe(401);
    await other.system.close();
  });

  it('enqueues a job with ids and the host only', async () => {
    const connection = await connected();
    const job = await queue.getJob(connection.collection_id);
    expect(job?.data).toEqual({
      connection_id: connection.connection_id,
      collection_id: connection.collection_id,
      host: new URL(at.system.url).host,
    });
  });

  describe('a report', () => {
    it('updates the progress, and its end sets active', async () => {
      const connection = await connected();
      expect(
        (
          await report(connection, {
            state: 'collecting',
            types: [type('Patient', 1, 0, true), type('Observation', 40, 2, false)],
          })
        ).status,
      ).toBe(200);
      expect((await connectionsOf(service, person))[0]).toMatchObject({
        status: 'collecting',
        progress: { collected: 41, types_done: 1, types_total: 2 },
        complete: false,
        last_collected_at: null,
      });
      await report(connection, {
        state: 'completed',
        types: [type('Patient', 1, 0, true), type('Observation', 40, 60, true)],
      });
      const [done] = await connectionsOf(service, person);
      expect(done).toMatchObject({
        status: 'active',
        progress: { collected: 41, types_done: 2, types_total: 2 },
        complete: true,
        warnings: [],
        warnings_omitted: 0,
        last_collected_at: expect.any(String),
      });
      const detail = (await own('get', `/${connection.connection_id}`)).body as object;
      expect(detail).toEqual({
        success: true,
        ...done,
        types: [type('Patient', 1, 0, true), type('Observation', 40, 60, true)],
        results: [
          { type: 'Patient', outcome: 'complete', warnings: [] },
          { type: 'Observation', outcome: 'complete', warnings: [] },
        ],
      });
    });

    it('counts the record over all collections, and keeps the last result while the next one is under way', async () => {
      const connection = await connected();
      const warning = { code: 'search_refused' as const, message: 'the health system refused Condition with 403' };
      const refused = { ...type('Condition', 0, 0, true), outcome: 'refused' as const, warnings: [warning] };
      const found = { ...type('Practitioner', 3, 0, true), read: 'references' as const };
      await report(connection, {
        state: 'completed',
        types: [type('Patient', 1, 0, true), type('Observation', 97, 0, true), refused, found],
      });
      const gaps = { complete: false, warnings: [{ ...warning, type: 'Condition' }], warnings_omitted: 0 };
      const entry = async (): Promise<unknown> => (await connectionsOf(service, person))[0];
      const first = { collected: 101, types_done: 3, types_total: 3 };
      expect(await entry()).toMatchObject({ status: 'active', progress: first, ...gaps });

      await own('post', `/${connection.connection_id}/refresh`);
      expect(await entry()).toMatchObject({ status: 'collecting', progress: { ...first, types_done: 0 }, ...gaps });
      const second = (await internal('get', connection.connection_id)).body as ConnectionForCollection;
      const changes = (of: CollectionReport['types'][number]): CollectionReport['types'][number] => ({
        ...of,
        read: 'changes',
      });
      const types = [
        changes(type('Patient', 0, 1, true)),
        changes({ ...type('Observation', 5, 1, false), created: 4, deleted: 2 }),
        { ...type('Condition', 9, 0, true), created: 9 },
      ];
      await report(second, { state: 'collecting', types });
      expect(await entry()).toMatchObject({
        status: 'collecting',
        progress: { collected: 112, types_done: 2, types_total: 3 },
        ...gaps,
      });

      // Another collection replaces this one: what it has stored stays counted.
      await connect(service, person, at);
      expect(await entry()).toMatchObject({ status: 'collecting', progress: { collected: 112 }, ...gaps });
      const third = (await internal('get', connection.connection_id)).body as ConnectionForCollection;
      expect(third.collection_id).not.toBe(second.collection_id);
      await report(third, { state: 'completed', types: [type('Patient', 0, 1, true), type('Condition', 0, 9, true)] });
      const whole = { status: 'active', progress: { collected: 112 }, complete: true, warnings: [] };
      expect(await entry()).toMatchObject(whole);
      const { entry: outcomes } = JSON.parse(
        await admin(service, 'connection', 'outcomes', '--health-system', String(at.id), '--json'),
      ) as { entry: object[] };
      expect(outcomes[0]).toMatchObject({
        connects: { started: 2, connected: 2 },
        collections: { incomplete: 1, complete: 1 },
        types_refused: { Condition: 1 },
      });
    });

    it('of an end counts once when it arrives several times at once, on two replicas', async () => {
      const connection = await connected();
      await request(service.app)
        .post('/connect/v1/webhooks')
        .set(person.clientHeaders)
        .send({ url: 'http://127.0.0.1:9/' });
      const { internal: second } = await service.replica();
      const body = { state: 'completed', types: [type('Patient', 3, 0, true)] };
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async (_x, index) => {
          const response = await request(index % 2 ? service.internal : second)
            .put(`/internal/v1/connections/${connection.connection_id}/collections/${connection.collection_id}`)
            .set('Authorization', credentials)
            .send(body);
          return response.status;
        }),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect((await connectionsOf(service, person))[0]).toMatchObject({ status: 'active', progress: { collected: 3 } });
      const events = await service.sql('SELECT body FROM webhook_event WHERE service_user_id = $1', [
        person.serviceUserId,
      ]);
      expect(events).toHaveLength(2);
      const counted = await service.sql(
        `SELECT occurrences::int FROM connect_outcome WHERE health_system_id = $1 AND kind = 'collection'`,
        [at.id],
      );
      expect(counted).toEqual([{ occurrences: 1 }]);
    });

    it('of progress keeps the error of a collection that waits', async () => {
      const connection = await connected();
      const error = { code: 'health_system_unavailable' as const, message: 'the health system does not respond' };
      await report(connection, { state: 'failed', failure: 'transient', types: [], error });
      await report(connection, { state: 'collecting', types: [type('Patient', 1, 0, true)] });
      expect((await connectionsOf(service, person))[0]).toMatchObject({
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
      expect((await connectionsOf(service, person))[0]).toMatchObject({
        status: 'failed',
        error: unavailable,
        complete: false,
        last_collected_at: null,
      });
    });

    it('of an end may be repeated; reports of earlier collections are rejected', async () => {
      const connection = await connected();
      const whole: CollectionReport = { state: 'completed', types: [type('Patient', 1, 0, true)] };
      expect((await report(connection, whole)).status).toBe(200);
      expect((await report(connection, whole)).status).toBe(200);
      expect((await report(connection, { state: 'collecting', types: [] })).status).toBe(409);
      expect((await report({ ...connection, collection_id: randomUUID() }, whole)).status).toBe(409);
      expect((await report({ ...connection, connection_id: randomUUID() }, whole)).status).toBe(404);
      expect((await connectionsOf(service, person))[0]?.progress.collected).toBe(1);
    });
  });

  describe('POST …/refresh', () => {
    it('starts one collection', async () => {
      const connection = await connected();
      const during = await own('post', `/${connection.connection_id}/refresh`);
      expect([during.status, during.body]).toMatchObject([200, { success: true, status: 'collecting' }]);
      expect(((await internal('get', connection.connection_id)).body as ConnectionForCollection).collection_id).toBe(
        connection.collection_id,
      );
      await report(connection, { state: 'completed', types: [type('Patient', 1, 0, true)] });
      const after = await own('post', `/${connection.connection_id}/refresh`);
      expect(after.body).toMatchObject({
        success: true,
        connection_id: connection.connection_id,
        status: 'collecting',
        progress: { collected: 1, types_done: 0, types_total: 1 },
        complete: true,
        last_collected_at: expect.any(String),
      });
      const again = (await internal('get', connection.connection_id)).body as ConnectionForCollection;
      expect(again.collection_id).not.toBe(connection.collection_id);
      expect(again.last_completed_at).toEqual(expect.any(String));
      expect(await queue.getJob(again.collection_id)).toBeDefined();
    });

    it('has everything read again on request, until a collection that began after it is completed', async () => {
      const connection = await connected();
      const end = async (state: 'completed' | 'failed'): Promise<void> => {
        const current = (await internal('get', connection.connection_id)).body as ConnectionForCollection;
        const failed = { failure: 'permanent', error: { code: 'internal_error', message: 'a reason' } } as const;
        await report(current, { state, types: [], ...(state === 'failed' ? failed : {}) });
      };
      const isFull = async (): Promise<unknown> =>
        ((await internal('get', connection.connection_id)).body as ConnectionForCollection).is_full_requested;
      const refresh = (query = ''): Promise<Response> => own('post', `/${connection.connection_id}/refresh${query}`);

      // The collection under way may have been planned already.
      expect((await refresh('?full=true')).status).toBe(200);
      expect(await isFull()).toBe(false);
      await end('completed');
      await refresh();
      expect(await isFull()).toBe(true);
      await end('failed');
      await refresh('?full=false');
      expect(await isFull()).toBe(true);
      await end('completed');
      await refresh();
      expect(await isFull()).toBe(false);
      await end('completed');
      await refresh('?full=true');
      expect(await isFull()).toBe(true);
      expect((await refresh('?full=yes')).status).toBe(400);
    });

    it('is full after the user connects again: the new grant may contain more', async () => {
      const first = await connected();
      await report(first, { state: 'completed', types: [] });
      const again = await connected();
      expect([again.connection_id, first.is_full_requested, again.is_full_requested]).toEqual([
        first.connection_id,
        false,
        true,
      ]);
    });

    it('does not find connections of other users', async () => {
      const { connection_id } = await connected();
      const stranger = await newPerson(service);
      for (const [method, path] of [
        ['post', `/${connection_id}/refresh`],
        ['delete', `/${connection_id}`],
        ['get', `/${connection_id}`],
      ] as const)
        expect((await own(method, path, stranger.token)).status).toBe(404);
      expect((await own('get', '', 'no-token-at-all-0123456789')).status).toBe(401);
      expect((await own('post', '/not-an-id/refresh')).status).toBe(400);
    });
  });

  describe('DELETE …', () => {
    it('deletes the tokens', async () => {
      const connection = await connected();
      expect((await own('delete', `/${connection.connection_id}`)).body).toEqual({ success: true });
      expect((await connectionsOf(service, person))[0]).toMatchObject({ status: 'revoked' });
      expect(
        await service.sql('SELECT * FROM health_system_grant WHERE service_user_id = $1', [person.serviceUserId]),
      ).toEqual([]);
      expect((await internal('get', connection.connection_id)).status).toBe(404);
      expect((await token(connection)).status).toBe(404);
      expect((await report(connection, { state: 'collecting', types: [] })).status).toBe(404);
      const again = await own('post', `/${connection.connection_id}/refresh`);
      expect([again.status, again.body]).toMatchObject([
        409,
        { error_code: 'revoked', error: expect.stringContaining('the user has disconnected') },
      ]);
      expect((await own('delete', `/${connection.connection_id}`)).status).toBe(200);
      await connect(service, person, at);
      expect(await connectionsOf(service, person)).toMatchObject([
        { connection_id: connection.connection_id, status: 'collecting' },
      ]);
    });

    it('keeps the tokens while other connections use them', async () => {
      const shared = await newHealthSystem(service, ['dstu2', 'r4']);
      await connect(service, person, shared);
      const [one, other] = await connectionsOf(service, person);
      await own('delete', `/${one?.connection_id}`);
      expect((await internal('post', `${other?.connection_id}/access-token`, {})).status).toBe(200);
      await own('delete', `/${other?.connection_id}`);
      expect(
        await service.sql('SELECT * FROM health_system_grant WHERE service_user_id = $1', [person.serviceUserId]),
      ).toEqual([]);
      await shared.system.close();
    });
  });

  describe('access tokens', () => {
    const access = (response: Response): HealthSystemAccess => response.body as HealthSystemAccess;

    it('are the same until one is rejected; concurrent requests then refresh once', async () => {
      const connection = await connected();
      const first = access(await token(connection));
      expect(access(await token(connection))).toEqual(first);
      at.system.behaviour.delayMs = 150;
      const { internal: second } = await service.replica();
      const asked = await Promise.all(
        Array.from({ length: 12 }, (_x, i) =>
          request(i % 2 ? service.internal : second)
            .post(`/internal/v1/connections/${connection.connection_id}/access-token`)
            .set('Authorization', credentials)
            .send({ refused_token_id: first.token_id }),
        ),
      );
      expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(asked.map((response) => access(response).access_token)).size).toBe(1);
      expect(access(asked[0] as Response).token_id).not.toBe(first.token_id);
      expect(at.system.tokenRequests.filter(({ grant_type }) => grant_type === 'refresh_token')).toHaveLength(1);
      expect(access(await token(connection, first.token_id)).token_id).toBe(access(asked[0] as Response).token_id);
    });

    it('are refreshed before they expire; a response without a refresh token keeps the previous one', async () => {
      at.system.behaviour.expiresIn = 1;
      const connection = await connected();
      const ids = new Set<string>();
      const due = (): Promise<unknown> =>
        service.sql(
          `UPDATE health_system_grant SET expires_at = now() - interval '1 second' WHERE service_user_id = $1`,
          [person.serviceUserId],
        );
      for (const rule of ['rotating', 'rotating', 'absent', 'absent', 'rotating'] as const) {
        at.system.behaviour.refresh = rule;
        await due();
        const response = await token(connection);
        expect(response.status).toBe(200);
        ids.add(access(response).token_id);
      }
      expect(ids.size).toBe(5);
    });

    it('end with the grant: the connection needs reauthorization', async () => {
      const connection = await connected();
      const first = access(await token(connection));
      at.system.liveRefreshToken = 'another';
      const refused = await token(connection, first.token_id);
      expect([refused.status, refused.body]).toMatchObject([409, { error_code: 'needs_reauthorization' }]);
      expect((await connectionsOf(service, person))[0]).toMatchObject({
        status: 'needs_reauthorization',
        error: { code: 'needs_reauthorization', message: expect.any(String) },
      });
      expect((await token(connection)).status).toBe(409);
      expect((await report(connection, { state: 'failed', types: [] })).status).toBe(200);
      expect((await connectionsOf(service, person))[0]?.status).toBe('needs_reauthorization');
      const again = await own('post', `/${connection.connection_id}/refresh`);
      expect([again.status, again.body]).toMatchObject([409, { error_code: 'needs_reauthorization' }]);
      expect(await refreshFailures()).toEqual({ refresh_refused: 1 });
    });

    it('end when no refresh token was issued, with a reason of its own', async () => {
      at.system.behaviour.refresh = 'never';
      const connection = await connected();
      const first = access(await token(connection));
      const requests = at.system.tokenRequests.length;
      expect((await connectionsOf(service, person))[0]).toMatchObject({
        refreshable: false,
        access_expires_at: first.expires_at,
      });
      const refused = await token(connection, first.token_id);
      const message = expect.stringContaining('issued no refresh token') as string;
      expect([refused.status, refused.body]).toMatchObject([
        409,
        { error_code: 'needs_reauthorization', error: message },
      ]);
      expect(at.system.tokenRequests).toHaveLength(requests);
      expect((await connectionsOf(service, person))[0]).toMatchObject({
        status: 'needs_reauthorization',
        error: { code: 'needs_reauthorization', message },
        refreshable: false,
      });
      expect((await connectionsOf(service, person))[0]?.access_expires_at).toBeUndefined();
      expect(await refreshFailures()).toEqual({ no_refresh_token: 1 });
    });

    it.each(['refused', 'not_registered'] as const)(
      'wait for the operator while our client is %s, and come again by themselves',
      async (problem) => {
        const connection = await connected();
        const first = access(await token(connection));
        await request(service.app)
          .post('/connect/v1/webhooks')
          .set(person.clientHeaders)
          .send({ url: 'http://127.0.0.1:9/' });
        const { host } = new URL(at.system.url);
        const { knowsClient } = at.system.behaviour;
        if (problem === 'refused') at.system.behaviour.knowsClient = () => false;
        else await admin(service, 'registration', 'remove', '--host', host);
        const refused = await token(connection, first.token_id);
        expect([refused.status, refused.body]).toMatchObject([409, { error_code: 'client_not_accepted' }]);
        expect((await connectionsOf(service, person))[0]).toMatchObject({
          status: 'collecting',
          error: { code: 'client_not_accepted', message: expect.stringContaining('the operator') },
          retry_at: expect.any(String),
        });
        expect(
          await service.sql('SELECT FROM webhook_event WHERE service_user_id = $1', [person.serviceUserId]),
        ).toEqual([]);
        const { entry: problems } = JSON.parse(await admin(service, 'connection', 'problems', '--json')) as {
          entry: Record<string, unknown>[];
        };
        expect(await refreshFailures()).toEqual({ [`client_${problem}`]: 1 });
        expect(problems.filter(({ health_system_id }) => health_system_id === String(at.id))).toMatchObject([
          { problem, connections: 1, fhir_base_url: `${at.system.url}/fhir/r4` },
        ]);
        at.system.behaviour.knowsClient = knowsClient;
        await queue.remove(connection.collection_id);
        await admin(
          service,
          'registration',
          'set',
          '--host',
          host,
          '--client-id',
          'our-client',
          '--auth-method',
          'none',
        );
        await waitUntil(async () => (await queue.getJob(connection.collection_id)) !== undefined);
        expect((await token(connection, first.token_id)).status).toBe(200);
        expect((await connectionsOf(service, person))[0]).toMatchObject({ status: 'collecting' });
        await report(connection, { state: 'completed', types: [] });
        expect((await connectionsOf(service, person))[0]?.error).toBeUndefined();
        expect(await admin(service, 'connection', 'problems')).not.toContain(at.system.url);
      },
    );

    it.each([408, 429, 500, 503, 404])('are kept while the token endpoint responds with %i', async (status) => {
      const connection = await connected();
      const first = access(await token(connection));
      at.system.behaviour.token = (_request, response) => Boolean(response.status(status).send('later'));
      expect((await token(connection, first.token_id)).status).toBe(503);
      expect((await connectionsOf(service, person))[0]?.status).toBe('collecting');
      expect(await refreshFailures()).toEqual({ [status === 404 ? 'refused' : 'unavailable']: 1 });
      at.system.behaviour.token = undefined;
      await refreshIsDue(service, person);
      expect((await token(connection, first.token_id)).status).toBe(200);
    });

    it('are used until they expire while the token endpoint is unavailable', async () => {
      const connection = await connected();
      await service.sql(
        `UPDATE health_system_grant SET obtained_at = now() - interval '1 hour', expires_at = now() + interval '20 seconds' WHERE service_user_id = $1`,
        [person.serviceUserId],
      );
      at.system.behaviour.token = (_request, response) => Boolean(response.status(503).send('later'));
      expect((await token(connection)).status).toBe(200);
      expect(at.system.tokenRequests.at(-1)?.['grant_type']).toBe('refresh_token');
    });

    it('are refreshed again after the lease of a dead process expires', async () => {
      const connection = await connected();
      const first = access(await token(connection));
      await service.sql(
        `UPDATE health_system_grant SET refresh_lease = gen_random_uuid(), refresh_lease_until = now() + interval '400 milliseconds' WHERE service_user_id = $1`,
        [person.serviceUserId],
      );
      expect((await token(connection, first.token_id)).status).toBe(200);
    });
  });

  describe('the sweep', () => {
    it('adds lost jobs again', async () => {
      const connection = await connected();
      await queue.remove(connection.collection_id);
      await service.sql(`UPDATE connection SET enqueue_at = now() WHERE connection_id = $1`, [
        connection.connection_id,
      ]);
      await waitUntil(async () => (await queue.getJob(connection.collection_id)) !== undefined);
    });

    it('starts the next collection of an active connection a day later, varied by 10 %', async () => {
      const connection = await connected();
      await report(connection, { state: 'completed', types: [] });
      const [due] = await service.sql(
        'SELECT extract(epoch FROM next_collection_at - now())::float / 3600 AS hours FROM connection WHERE connection_id = $1',
        [connection.connection_id],
      );
      expect(due?.['hours']).toBeGreaterThan(21.5);
      expect(due?.['hours']).toBeLessThan(26.5);
      await service.sql(`UPDATE connection SET next_collection_at = now() WHERE connection_id = $1`, [
        connection.connection_id,
      ]);
      await waitUntil(async () => (await connectionsOf(service, person))[0]?.status === 'collecting');
      const again = (await internal('get', connection.connection_id)).body as ConnectionForCollection;
      expect(again.collection_id).not.toBe(connection.collection_id);
      await waitUntil(async () => (await queue.getJob(again.collection_id)) !== undefined);
    });

    it('starts no collection for inactive users', async () => {
      const connection = await connected();
      await report(connection, { state: 'completed', types: [] });
      await service.sql(`UPDATE service_user SET state = 'inactive' WHERE service_user_id = $1`, [
        person.serviceUserId,
      ]);
      await service.sql(`UPDATE connection SET next_collection_at = now() WHERE connection_id = $1`, [
        connection.connection_id,
      ]);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect((await internal('get', connection.connection_id)).body).toMatchObject({ status: 'active' });
    });
  });

  it('are deleted with their user and the data key of the user', async () => {
    const connection = await connected();
    const deleted = await request(service.app)
      .delete('/user-management/v1/user')
      .set(person.clientHeaders)
      .send({ service_user_id: person.serviceUserId });
    expect(deleted.status).toBe(200);
    expect((await internal('get', connection.connection_id)).status).toBe(404);
    expect(
      await service.sql('SELECT 1 FROM health_system_grant WHERE service_user_id = $1', [person.serviceUserId]),
    ).toEqual([]);
    expect(await service.sql('SELECT 1 FROM data_key WHERE scope = $1', [`user-${person.serviceUserId}`])).toEqual([]);
  });
});
