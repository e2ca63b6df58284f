import request, { type Response } from 'supertest';
import { type RunningForTest, runForTest } from '../../test/running-service';
import { waitUntil } from '../../test/wait-until';

type Credentials = { client_id: string; client_secret: string };
const path = '/user-management/v1/user';

describe('user management', () => {
  let service: RunningForTest;
  let client: Credentials;
  beforeAll(async () => {
    service = await runForTest();
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    const { client_id, client_secret } = service.auth.addClient();
    client = { client_id, client_secret };
  });

  const create = async (app_user_id: string, as: Credentials = client): Promise<Response> =>
    request(service.app)
      .post(path)
      .set({ ...as })
      .send({ app_user_id });
  const list = async (query: Record<string, string | number> = {}, as: Credentials = client): Promise<Response> =>
    request(service.app)
      .get(path)
      .set({ ...as })
      .query(query);
  const put = async (body: object): Promise<Response> =>
    request(service.app)
      .put(path)
      .set({ ...client })
      .send(body);
  const remove = async (body: object): Promise<Response> =>
    request(service.app)
      .delete(path)
      .set({ ...client })
      .send(body);

  describe('POST /user', () => {
    it('creates a user from a form with the credentials in headers', async () => {
      const response = await request(service.app)
        .post(path)
        .set({ ...client })
        .type('form')
        .send({ app_user_id: 'patient-1' });
      expect(response.status).toBe(200);
      expect(response.body).toEqual({
        success: true,
        code: expect.stringMatching(/^[\w-]{43}$/),
        service_user_id: expect.any(Number),
        app_user_id: 'patient-1',
        active: true,
      });
      expect(service.auth.codes.at(-1)).toEqual({
        client_id: client.client_id,
        service_user_id: response.body.service_user_id,
      });
    });

    it('creates a user from JSON, and from query parameters alone', async () => {
      expect((await create('json')).body).toMatchObject({ success: true, app_user_id: 'json' });
      const response = await request(service.app)
        .post(path)
        .query({ app_user_id: 'query user', ...client });
      expect([response.status, response.body.app_user_id]).toEqual([200, 'query user']);
    });

    it('gives ascending ids that are never used again', async () => {
      const first = (await create('a')).body.service_user_id as number;
      await remove({ service_user_id: first });
      expect((await create('a')).body.service_user_id).toBeGreaterThan(first);
    });

    it('rejects a duplicate app_user_id, also of a concurrent request', async () => {
      const answers = await Promise.all([create('same'), create('same'), create('same'), create('same')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      expect(answers.find(({ status }) => status === 409)?.body).toEqual({
        success: false,
        error: 'this user already exists',
        error_code: 'user_already_exists',
      });
    });

    it('compares app_user_ids per client, and exactly', async () => {
      const other = service.auth.addClient();
      expect((await create('x')).status).toBe(200);
      expect((await create('x', { client_id: other.client_id, client_secret: other.client_secret })).status).toBe(200);
      expect((await create('X')).status).toBe(200);
      expect((await create(' x')).status).toBe(200);
    });

    it.each([
      ['missing', {}],
      ['empty', { app_user_id: '' }],
      ['too long', { app_user_id: 'x'.repeat(256) }],
      ['a number', { app_user_id: 5 }],
      ['a list', { app_user_id: ['a', 'b'] }],
      ['broken Unicode', { app_user_id: 'a\ud800' }],
    ])('answers 400 when app_user_id is %s', async (_what, body) => {
      const response = await request(service.app)
        .post(path)
        .set({ ...client })
        .send(body);
      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({
        success: false,
        error_code: 'invalid_request',
        error: expect.stringContaining('app_user_id'),
      });
    });

    it('counts characters, not bytes', async () => {
      const emoji = '🫀'.repeat(255);
      expect((await create(emoji)).body.app_user_id).toBe(emoji);
      expect((await list({ app_user_id: emoji })).body.total).toBe(1);
      expect((await create(`${emoji}x`)).status).toBe(400);
    });

    it('responds with 401 invalid_client to wrong, missing or incomplete credentials', async () => {
      for (const headers of [
        {},
        { client_id: client.client_id },
        { ...client, client_secret: 'wrong' },
        { ...client, client_id: 'nobody' },
      ]) {
        const response = await request(service.app).post(path).set(headers).send({ app_user_id: 'x' });
        expect([response.status, response.body.error_code]).toEqual([401, 'invalid_client']);
      }
      const inBody = await request(service.app)
        .post(path)
        .send({ app_user_id: 'x', ...client });
      expect(inBody.status).toBe(401);
      const queryElsewhere = await request(service.app)
        .get(path)
        .query({ ...client });
      expect(queryElsewhere.status).toBe(401);
    });

    it('creates nothing while auth is unavailable', async () => {
      service.auth.beforeCode = () => Promise.reject(new Error('auth fell over'));
      const response = await create('later');
      service.auth.beforeCode = () => Promise.resolve();
      expect(response.status).toBe(503);
      expect((await list()).body.total).toBe(0);
      expect((await create('later')).status).toBe(200);
    });

    it('can be followed by a new code when its response was lost', async () => {
      const { service_user_id } = (await create('lost')).body as { service_user_id: number };
      const again = await create('lost');
      expect([again.status, again.body]).toEqual([
        409,
        { success: false, error: 'this user already exists', error_code: 'user_already_exists' },
      ]);
      const code = await request(service.app)
        .post(`${path}/auth-code`)
        .set({ ...client })
        .send({ app_user_id: 'lost' });
      expect(code.body).toMatchObject({ success: true, service_user_id, code: expect.any(String) });
    });

    it('stores no app_user_id in plain text', async () => {
      await create('very-recognizable-id');
      const rows = JSON.stringify(
        await service.sql(`SELECT to_jsonb(u) FROM service_user u WHERE client_id = $1`, [client.client_id]),
      );
      expect(rows).not.toContain('very-recognizable-id');
      expect(rows).not.toContain(Buffer.from('very-recognizable-id').toString('hex'));
    });
  });

  describe('POST /user/auth-code', () => {
    const newCode = async (body: object): Promise<Response> =>
      request(service.app)
        .post(`${path}/auth-code`)
        .set({ ...client })
        .send(body);

    it('issues another code with the same fields', async () => {
      const created = (await create('p')).body as { code: string };
      const response = await newCode({ app_user_id: 'p' });
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ ...created, code: expect.any(String) });
      expect(response.body.code).not.toBe(created.code);
    });

    it('finds the user by service_user_id, alone or with the app_user_id', async () => {
      const created = (await create('p')).body as { service_user_id: number };
      const other = (await create('q')).body as { service_user_id: number };
      const { service_user_id } = created;
      for (const body of [{ service_user_id }, { service_user_id: String(service_user_id), app_user_id: 'p' }])
        expect((await newCode(body)).body).toEqual({ ...created, code: expect.any(String) });
      expect(service.auth.codes.at(-1)).toEqual({ client_id: client.client_id, service_user_id });
      expect((await newCode({ service_user_id: other.service_user_id, app_user_id: 'p' })).status).toBe(404);
      expect((await newCode({ service_user_id: 'p' })).status).toBe(400);
    });

    it('does not find users of other clients, and issues no code for an inactive user', async () => {
      expect((await newCode({ app_user_id: 'stranger' })).body).toMatchObject({
        success: false,
        error_code: 'user_not_found',
      });
      expect((await newCode({ app_user_id: 'stranger' })).status).toBe(404);
      expect((await newCode({})).status).toBe(400);
      const { service_user_id } = (await create('off')).body as { service_user_id: number };
      await put({ service_user_id, active: false });
      expect((await newCode({ app_user_id: 'off' })).status).toBe(403);
    });

    it('issues no code when the user is deactivated meanwhile', async () => {
      const { service_user_id } = (await create('race')).body as { service_user_id: number };
      service.auth.beforeCode = async () => {
        service.auth.beforeCode = () => Promise.resolve();
        expect((await put({ service_user_id, active: false })).status).toBe(200);
      };
      expect((await newCode({ app_user_id: 'race' })).status).toBe(403);
    });
  });

  describe('GET /user', () => {
    it('pages by ascending service_user_id', async () => {
      const ids: number[] = [];
      for (let i = 0; i < 25; i++) ids.push((await create(`u${i}`)).body.service_user_id as number);
      const first = (await list()).body;
      expect(first).toMatchObject({ success: true, total: 25, offset: 0, limit: 20 });
      expect(first.entry.map((entry: { service_user_id: number }) => entry.service_user_id)).toEqual(ids.slice(0, 20));
      expect(first.entry[3]).toEqual({ service_user_id: ids[3], app_user_id: 'u3', active: true });
      const second = (await list({ offset: 20, limit: 100 })).body;
      expect(second).toMatchObject({ total: 25, offset: 20, limit: 100 });
      expect(second.entry).toHaveLength(5);
      expect((await list({ offset: 1000 })).body).toMatchObject({ total: 25, entry: [] });
    });

    it('finds one by either identifier or both', async () => {
      const { service_user_id } = (await create('one')).body as { service_user_id: number };
      await create('two');
      for (const query of [{ service_user_id }, { app_user_id: 'one' }, { service_user_id, app_user_id: 'one' }]) {
        expect((await list(query as Record<string, string | number>)).body).toEqual({
          success: true,
          total: 1,
          offset: 0,
          limit: 20,
          entry: [{ service_user_id, app_user_id: 'one', active: true }],
        });
      }
      for (const query of [
        { service_user_id: 999999 },
        { app_user_id: 'three' },
        { service_user_id, app_user_id: 'two' },
      ]) {
        expect((await list(query as Record<string, string | number>)).body).toMatchObject({
          success: true,
          total: 0,
          entry: [],
        });
      }
      const other = service.auth.addClient();
      expect(
        (await list({ service_user_id }, { client_id: other.client_id, client_secret: other.client_secret })).body
          .total,
      ).toBe(0);
    });

    it.each([
      { limit: 0 },
      { limit: 101 },
      { limit: 'many' },
      { offset: -1 },
      { offset: '1.5' },
      { service_user_id: 'abc' },
      { service_user_id: 0 },
      { app_user_id: '' },
    ])('answers 400 to %j', async (query) => {
      expect((await list(query as Record<string, string | number>)).status).toBe(400);
    });
  });

  describe('PUT /user', () => {
    it('changes the app_user_id; the old one can be used again', async () => {
      const { service_user_id } = (await create('before')).body as { service_user_id: number };
      const response = await put({ service_user_id, app_user_id: 'after' });
      expect([response.status, response.body]).toEqual([
        200,
        { success: true, service_user_id, app_user_id: 'after', active: true },
      ]);
      expect((await list({ app_user_id: 'before' })).body.total).toBe(0);
      expect((await create('before')).status).toBe(200);
      expect((await put({ service_user_id, app_user_id: 'after' })).status).toBe(200);
    });

    it('accepts forms', async () => {
      const { service_user_id } = (await create('form')).body as { service_user_id: number };
      const response = await request(service.app)
        .put(path)
        .set({ ...client })
        .type('form')
        .send({ service_user_id: String(service_user_id), app_user_id: 'f2', active: 'false' });
      expect(response.body).toEqual({ success: true, service_user_id, app_user_id: 'f2', active: false });
    });

    it('rejects a duplicate app_user_id, unknown users, users of other clients and bad input', async () => {
      const { service_user_id } = (await create('mine')).body as { service_user_id: number };
      await create('taken');
      expect((await put({ service_user_id, app_user_id: 'taken' })).body).toEqual({
        success: false,
        error: 'this user already exists',
        error_code: 'user_already_exists',
      });
      expect((await put({ service_user_id: 123456789, app_user_id: 'z' })).status).toBe(404);
      const other = service.auth.addClient();
      const foreign = await request(service.app)
        .put(path)
        .set({ client_id: other.client_id, client_secret: other.client_secret })
        .send({ service_user_id, app_user_id: 'stolen' });
      expect([foreign.status, foreign.body.error_code]).toEqual([404, 'user_not_found']);
      for (const body of [
        { service_user_id },
        { app_user_id: 'z' },
        { service_user_id: 'x', app_user_id: 'z' },
        { service_user_id, app_user_id: '' },
        { service_user_id, active: 'maybe' },
      ])
        expect((await put(body)).status).toBe(400);
      expect((await put({ app_user_id: 'z' })).body).toMatchObject({ error: 'service_user_id: is missing' });
    });

    it('deactivates after the tokens are revoked; reactivates, and issues codes again', async () => {
      const { service_user_id } = (await create('switch')).body as { service_user_id: number };
      service.auth.addToken(client.client_id, service_user_id);
      const off = await put({ service_user_id, active: false });
      expect(off.body).toEqual({ success: true, service_user_id, app_user_id: 'switch', active: false });
      expect([...service.auth.tokens.values()].some((token) => token.service_user_id === service_user_id)).toBe(false);
      expect((await list({ service_user_id })).body.entry[0].active).toBe(false);
      expect((await put({ service_user_id, active: true })).body.active).toBe(true);
    });

    it('never reports a user as inactive whose tokens may work; a repeated request finishes the change', async () => {
      const { service_user_id } = (await create('crash')).body as { service_user_id: number };
      const revoke = jest.spyOn(service.auth.revoked, 'push').mockImplementation(() => {
        throw new Error('auth fell over');
      });
      expect((await put({ service_user_id, active: false })).status).toBe(503);
      revoke.mockRestore();
      expect((await list({ service_user_id })).body.entry[0].active).toBe(true);
      expect(
        (
          await request(service.app)
            .post(`${path}/auth-code`)
            .set({ ...client })
            .send({ app_user_id: 'crash' })
        ).status,
      ).toBe(403);
      expect((await put({ service_user_id, active: false })).body.active).toBe(false);
    });
  });

  describe('DELETE /user', () => {
    it('revokes tokens, destroys the record and deletes the user', async () => {
      const { service_user_id } = (await create('gone')).body as { service_user_id: number };
      const response = await remove({ service_user_id });
      expect([response.status, response.body]).toEqual([200, { success: true }]);
      expect(service.auth.revoked).toContain(service_user_id);
      expect(service.records.destroyed).toContain(service_user_id);
      expect(await service.sql('SELECT * FROM service_user WHERE service_user_id = $1', [service_user_id])).toEqual([]);
      expect((await remove({ service_user_id })).status).toBe(404);
    });

    it('can be repeated after an outage of fhir-store; meanwhile no other request finds the user', async () => {
      const { service_user_id } = (await create('half')).body as { service_user_id: number };
      service.records.isUnavailable = true;
      expect((await remove({ service_user_id })).status).toBe(503);
      service.records.isUnavailable = false;
      expect((await list({ service_user_id })).body.total).toBe(0);
      expect((await put({ service_user_id, active: true })).status).toBe(404);
      expect((await create('half')).status).toBe(200);
      expect((await remove({ service_user_id })).status).toBe(200);
    });

    it('does not change users of other clients', async () => {
      const { service_user_id } = (await create('safe')).body as { service_user_id: number };
      const other = service.auth.addClient();
      expect(
        (
          await request(service.app)
            .delete(path)
            .set({ client_id: other.client_id, client_secret: other.client_secret })
            .send({ service_user_id })
        ).status,
      ).toBe(404);
      expect((await list({ service_user_id })).body.total).toBe(1);
    });
  });

  it('serves its OpenAPI document', async () => {
    const { paths } = (await request(service.app).get('/openapi.json')).body as { paths: Record<string, object> };
    expect(Object.keys(paths[path] ?? {}).sort()).toEqual(['delete', 'get', 'post', 'put']);
  });

  it('responds with 405 and 404', async () => {
    const wrong = await request(service.app).patch(path);
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, expect.stringContaining('PUT')]);
    expect((await request(service.app).get('/user-management/v1/users')).status).toBe(404);
  });
});

describe('the sweep over users', () => {
  it('finishes what a request could not', async () => {
    const service = await runForTest({ SWEEP_EVERY_SECONDS: '0.05' });
    try {
      const { client_id, client_secret } = service.auth.addClient();
      const headers = { client_id, client_secret };
      const off = (await request(service.app).post(path).set(headers).send({ app_user_id: 'off' })).body as {
        service_user_id: number;
      };
      const gone = (await request(service.app).post(path).set(headers).send({ app_user_id: 'gone' })).body as {
        service_user_id: number;
      };
      await service.sql(
        `UPDATE service_user SET state = 'deactivating', changed_at = now() - interval '2 minutes' WHERE service_user_id = $1`,
        [off.service_user_id],
      );
      await service.sql(
        `UPDATE service_user SET state = 'deleting', app_user_id_sealed = NULL, app_user_id_blind_index = NULL, changed_at = now() - interval '2 minutes' WHERE service_user_id = $1`,
        [gone.service_user_id],
      );
      const states = (): Promise<Record<string, unknown>[]> =>
        service.sql('SELECT service_user_id::int AS id, state FROM service_user WHERE service_user_id = ANY($1)', [
          [off.service_user_id, gone.service_user_id],
        ]);
      for (
        let tries = 0;
        tries < 200 && ((await states()).length > 1 || (await states())[0]?.['state'] !== 'inactive');
        tries++
      )
        await new Promise((resolve) => setTimeout(resolve, 25));
      expect(await states()).toEqual([{ id: off.service_user_id, state: 'inactive' }]);
      expect(service.auth.revoked.sort()).toEqual([off.service_user_id, gone.service_user_id].sort());
      expect(service.records.destroyed).toEqual([gone.service_user_id]);
    } finally {
      await service.stop();
    }
  });
});

describe('changes that cannot be finished', () => {
  let service: RunningForTest;
  beforeAll(async () => {
    service = await runForTest({ SWEEP_EVERY_SECONDS: '0.1' });
  });
  afterAll(() => service.stop());

  it('do not delay others, and are tried again later by one replica', async () => {
    await service.replica();
    const { client_id } = service.auth.addClient();
    const ids = (await service.sql(
      `INSERT INTO service_user (service_user_id, client_id, state, changed_at)
       SELECT nextval('service_user_id'), $1, 'deleting', now() - interval '1 hour' + n * interval '1 second' FROM generate_series(1, 51) n RETURNING service_user_id::int AS id`,
      [client_id],
    )) as { id: number }[];
    const last = ids.at(-1)?.id ?? 0;
    for (const { id } of ids.slice(0, 50)) service.records.stuck.add(id);
    await waitUntil(
      async () => (await service.sql('SELECT FROM service_user WHERE service_user_id = $1', [last])).length === 0,
    );
    await waitUntil(
      async () =>
        (await service.sql('SELECT FROM service_user WHERE client_id = $1 AND change_attempts = 0', [client_id]))
          .length === 0,
    );
    const left = await service.sql(
      'SELECT change_attempts AS attempts, change_retry_at > now() AS later FROM service_user WHERE client_id = $1',
      [client_id],
    );
    expect(left).toHaveLength(50);
    for (const one of left) expect(one).toEqual({ attempts: 1, later: true });
    service.records.stuck.clear();
    await service.sql('UPDATE service_user SET change_retry_at = now() WHERE client_id = $1', [client_id]);
    await waitUntil(
      async () => (await service.sql('SELECT FROM service_user WHERE client_id = $1', [client_id])).length === 0,
    );
  });

  it('of an earlier deactivation do not end a later one, whose tokens still work', async () => {
    const { client_id, client_secret } = service.auth.addClient();
    const headers = { client_id, client_secret };
    const { service_user_id } = (await request(service.app).post(path).set(headers).send({ app_user_id: 'twice' }))
      .body as { service_user_id: number };
    const put = async (active: boolean): Promise<Response> =>
      request(service.app).put(path).set(headers).send({ service_user_id, active });
    let isHeld = false;
    service.auth.beforeRevoking = async () => {
      if (isHeld) throw new Error('auth fell over');
      isHeld = true;
      expect((await put(true)).status).toBe(200);
      service.auth.addToken(client_id, service_user_id);
      expect((await put(false)).status).toBe(503);
    };
    await put(false);
    service.auth.beforeRevoking = () => Promise.resolve();
    const [state] = await service.sql('SELECT state FROM service_user WHERE service_user_id = $1', [service_user_id]);
    expect(state).toEqual({ state: 'deactivating' });
    expect((await put(false)).body).toMatchObject({ active: false });
  });
});

describe('the number of users of a client', () => {
  it('is exact after every change', async () => {
    const service = await runForTest();
    const { client_id, client_secret } = service.auth.addClient();
    const headers = { client_id, client_secret };
    const created = await Promise.all(
      Array.from({ length: 12 }, (_x, i) =>
        request(service.app)
          .post(path)
          .set(headers)
          .send({ app_user_id: `u${i}` }),
      ),
    );
    const ids = created.map(({ body }) => (body as { service_user_id: number }).service_user_id);
    await request(service.app).post(path).set(headers).send({ app_user_id: 'u3' });
    await request(service.app).put(path).set(headers).send({ service_user_id: ids[0], active: false });
    service.records.isUnavailable = true;
    expect((await request(service.app).delete(path).set(headers).send({ service_user_id: ids[1] })).status).toBe(503);
    service.records.isUnavailable = false;
    await Promise.all(
      ids
        .slice(2, 6)
        .map((service_user_id) => request(service.app).delete(path).set(headers).send({ service_user_id })),
    );
    const total = async (): Promise<number> =>
      ((await request(service.app).get(path).set(headers)).body as { total: number }).total;
    expect(await total()).toBe(7);
    await request(service.app).delete(path).set(headers).send({ service_user_id: ids[1] });
    expect(await total()).toBe(7);
    expect(
      await service.sql(
        `SELECT count(*)::int AS users FROM service_user WHERE client_id = $1 AND state <> 'deleting'`,
        [client_id],
      ),
    ).toEqual([{ users: 7 }]);
    await service.stop();
  });
});

describe('the hourly limit', () => {
  it('counts all requests of a client over all routes and replicas, except those that fail authentication', async () => {
    const service = await runForTest({ RATE_LIMIT_PER_HOUR: '6' });
    try {
      const { client_id, client_secret } = service.auth.addClient();
      const headers = { client_id, client_secret };
      const { app: second } = await service.replica();
      for (let i = 0; i < 10; i++)
        expect((await request(service.app).get(path).set({ client_id, client_secret: 'wrong' })).status).toBe(401);
      const statuses = [
        (await request(service.app).post(path).set(headers).send({ app_user_id: 'a' })).status,
        (await request(second).post(`${path}/auth-code`).set(headers).send({ app_user_id: 'a' })).status,
        (await request(service.app).get(path).set(headers)).status,
        (await request(second).put(path).set(headers).send({})).status,
        (await request(service.app).delete(path).set(headers).send({ service_user_id: 99999 })).status,
        (await request(second).get(path).set(headers)).status,
      ];
      expect(statuses).toEqual([200, 200, 200, 400, 404, 200]);
      const refused = await request(service.app).get(path).set(headers);
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ success: false, error_code: 'too_many_requests' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
      expect(refused.headers['ratelimit-limit']).toBe('6');
      const other = service.auth.addClient();
      expect(
        (await request(service.app).get(path).set({ client_id: other.client_id, client_secret: other.client_secret }))
          .status,
      ).toBe(200);
    } finally {
      await service.stop();
    }
  });
});
