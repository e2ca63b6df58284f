import request from 'supertest';
import { userScene, usersPath } from '../../test/user-scene';

const scene = userScene();

describe('PUT /user', () => {
  it('changes the app_user_id; the old one can be used again', async () => {
    const { service_user_id } = (await scene.create('before')).body as { service_user_id: number };
    const response = await scene.put({ service_user_id, app_user_id: 'after' });
    expect([response.status, response.body]).toEqual([
      200,
      { success: true, service_user_id, app_user_id: 'after', active: true },
    ]);
    expect((await scene.list({ app_user_id: 'before' })).body.total).toBe(0);
    expect((await scene.create('before')).status).toBe(200);
    expect((await scene.put({ service_user_id, app_user_id: 'after' })).status).toBe(200);
  });

  it('accepts forms', async () => {
    const { service_user_id } = (await scene.create('form')).body as { service_user_id: number };
    const response = await request(scene.service.app)
      .put(usersPath)
      .set({ ...scene.client })
      .type('form')
      .send({ service_user_id: String(service_user_id), app_user_id: 'f2', active: 'false' });
    expect(response.body).toEqual({ success: true, service_user_id, app_user_id: 'f2', active: false });
  });

  it('rejects a duplicate app_user_id, unknown users, users of other clients and bad input', async () => {
    const { service_user_id } = (await scene.create('mine')).body as { service_user_id: number };
    await scene.create('taken');
    expect((await scene.put({ service_user_id, app_user_id: 'taken' })).body).toEqual({
      success: false,
      error: 'this user already exists',
      error_code: 'user_already_exists',
    });
    expect((await scene.put({ service_user_id: 123456789, app_user_id: 'z' })).status).toBe(404);
    const other = scene.service.auth.addClient();
    const foreign = await request(scene.service.app)
      .put(usersPath)
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
      expect((await scene.put(body)).status).toBe(400);
    expect((await scene.put({ app_user_id: 'z' })).body).toMatchObject({ error: 'service_user_id is missing' });
  });

  it('deactivates after the tokens are revoked; reactivates, and issues codes again', async () => {
    const { service_user_id } = (await scene.create('switch')).body as { service_user_id: number };
    scene.service.auth.addToken(scene.client.client_id, service_user_id);
    const off = await scene.put({ service_user_id, active: false });
    expect(off.body).toEqual({ success: true, service_user_id, app_user_id: 'switch', active: false });
    expect([...scene.service.auth.tokens.values()].some((token) => token.service_user_id === service_user_id)).toBe(
      false,
    );
    expect((await scene.list({ service_user_id })).body.entry[0].active).toBe(false);
    expect((await scene.put({ service_user_id, active: true })).body.active).toBe(true);
  });

  it('never reports a user as inactive whose tokens may work; a repeated request finishes the change', async () => {
    const { service_user_id } = (await scene.create('crash')).body as { service_user_id: number };
    const revoke = jest.spyOn(scene.service.auth.revoked, 'push').mockImplementation(() => {
      throw new Error('auth fell over');
    });
    expect((await scene.put({ service_user_id, active: false })).status).toBe(502);
    revoke.mockRestore();
    expect((await scene.list({ service_user_id })).body.entry[0].active).toBe(true);
    expect(
      (
        await request(scene.service.app)
          .post(`${usersPath}/auth-code`)
          .set({ ...scene.client })
          .send({ app_user_id: 'crash' })
      ).status,
    ).toBe(403);
    expect((await scene.put({ service_user_id, active: false })).body.active).toBe(false);
  });
});
