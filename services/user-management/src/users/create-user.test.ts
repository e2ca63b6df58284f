import request from 'supertest';
import { userScene, usersPath } from '../../test/user-scene';

const scene = userScene();

describe('POST /user', () => {
  it('creates a user from a form with the credentials in headers', async () => {
    const response = await request(scene.service.app)
      .post(usersPath)
      .set({ ...scene.client })
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
    expect(scene.service.auth.codes.at(-1)).toEqual({
      client_id: scene.client.client_id,
      service_user_id: response.body.service_user_id,
    });
  });

  it('creates a user from JSON, and from query parameters alone', async () => {
    expect((await scene.create('json')).body).toMatchObject({ success: true, app_user_id: 'json' });
    const response = await request(scene.service.app)
      .post(usersPath)
      .query({ app_user_id: 'query user', ...scene.client });
    expect([response.status, response.body.app_user_id]).toEqual([200, 'query user']);
  });

  it('gives ascending ids that are never used again', async () => {
    const first = (await scene.create('a')).body.service_user_id as number;
    await scene.remove({ service_user_id: first });
    expect((await scene.create('a')).body.service_user_id).toBeGreaterThan(first);
  });

  it('rejects a duplicate app_user_id, also of a concurrent request', async () => {
    const answers = await Promise.all([
      scene.create('same'),
      scene.create('same'),
      scene.create('same'),
      scene.create('same'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      success: false,
      error: 'this user already exists',
      error_code: 'user_already_exists',
    });
  });

  it('compares app_user_ids per client, and exactly', async () => {
    const other = scene.service.auth.addClient();
    expect((await scene.create('x')).status).toBe(200);
    expect((await scene.create('x', { client_id: other.client_id, client_secret: other.client_secret })).status).toBe(
      200,
    );
    expect((await scene.create('X')).status).toBe(200);
    expect((await scene.create(' x')).status).toBe(200);
  });

  it.each([
    ['missing', {}],
    ['empty', { app_user_id: '' }],
    ['too long', { app_user_id: 'x'.repeat(256) }],
    ['a number', { app_user_id: 5 }],
    ['a list', { app_user_id: ['a', 'b'] }],
    ['broken Unicode', { app_user_id: 'a\ud800' }],
  ])('answers 400 when app_user_id is %s', async (_what, body) => {
    const response = await request(scene.service.app)
      .post(usersPath)
      .set({ ...scene.client })
      .send(body);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({
      success: false,
      error_code: 'invalid_request',
      error: expect.stringContaining('app_user_id'),
    });
  });

  it.each([
    ['blank', ' \t\u00a0', 'must not be blank'],
    ['text with NUL', 'patient\0', 'must not contain control characters'],
  ])('refuses a %s app_user_id everywhere, and stores nothing', async (_what, app_user_id, problem) => {
    const { service_user_id } = (await scene.create('known')).body as { service_user_id: number };
    const answers = [
      await scene.create(app_user_id),
      await request(scene.service.app)
        .post(usersPath)
        .set({ ...scene.client })
        .type('form')
        .send({ app_user_id }),
      await request(scene.service.app)
        .post(usersPath)
        .query({ app_user_id, ...scene.client }),
      await scene.put({ service_user_id, app_user_id }),
      await scene.newCode({ app_user_id }),
      await scene.list({ app_user_id }),
    ];
    for (const { status, body } of answers)
      expect([status, body.error_code, body.error]).toEqual([400, 'invalid_request', `app_user_id: ${problem}`]);
    expect((await scene.list()).body).toMatchObject({
      total: 1,
      entry: [{ service_user_id, app_user_id: 'known' }],
    });
  });

  it('counts characters, not bytes', async () => {
    const emoji = '🫀'.repeat(255);
    expect((await scene.create(emoji)).body.app_user_id).toBe(emoji);
    expect((await scene.list({ app_user_id: emoji })).body.total).toBe(1);
    expect((await scene.create(`${emoji}x`)).status).toBe(400);
  });

  it('responds with 401 invalid_client to wrong, missing or incomplete credentials', async () => {
    for (const headers of [
      {},
      { client_id: scene.client.client_id },
      { ...scene.client, client_secret: 'wrong' },
      { ...scene.client, client_id: 'nobody' },
    ]) {
      const response = await request(scene.service.app).post(usersPath).set(headers).send({ app_user_id: 'x' });
      expect([response.status, response.body.error_code]).toEqual([401, 'invalid_client']);
    }
    const inBody = await request(scene.service.app)
      .post(usersPath)
      .send({ app_user_id: 'x', ...scene.client });
    expect(inBody.status).toBe(401);
    const queryElsewhere = await request(scene.service.app)
      .get(usersPath)
      .query({ ...scene.client });
    expect(queryElsewhere.status).toBe(401);
  });

  it('creates nothing while auth is unavailable', async () => {
    scene.service.auth.beforeCode = () => Promise.reject(new Error('auth fell over'));
    const response = await scene.create('later');
    scene.service.auth.beforeCode = () => Promise.resolve();
    expect(response.status).toBe(502);
    expect((await scene.list()).body.total).toBe(0);
    expect((await scene.create('later')).status).toBe(200);
  });

  it('can be followed by a new code when its response was lost', async () => {
    const { service_user_id } = (await scene.create('lost')).body as { service_user_id: number };
    const again = await scene.create('lost');
    expect([again.status, again.body]).toEqual([
      409,
      { success: false, error: 'this user already exists', error_code: 'user_already_exists' },
    ]);
    const code = await request(scene.service.app)
      .post(`${usersPath}/auth-code`)
      .set({ ...scene.client })
      .send({ app_user_id: 'lost' });
    expect(code.body).toMatchObject({ success: true, service_user_id, code: expect.any(String) });
  });

  it('stores no app_user_id in plain text', async () => {
    await scene.create('very-recognizable-id');
    const rows = JSON.stringify(
      await scene.service.sql(`SELECT to_jsonb(u) FROM service_user u WHERE client_id = $1`, [scene.client.client_id]),
    );
    expect(rows).not.toContain('very-recognizable-id');
    expect(rows).not.toContain(Buffer.from('very-recognizable-id').toString('hex'));
  });
});
