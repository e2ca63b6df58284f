import { userScene } from '../../test/user-scene';

const scene = userScene();

describe('POST /user/auth-code', () => {
  it('issues another code with the same fields', async () => {
    const created = (await scene.create('p')).body as { code: string };
    const response = await scene.newCode({ app_user_id: 'p' });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ ...created, code: expect.any(String) });
    expect(response.body.code).not.toBe(created.code);
  });

  it('finds the user by service_user_id, alone or with the app_user_id', async () => {
    const created = (await scene.create('p')).body as { service_user_id: number };
    const other = (await scene.create('q')).body as { service_user_id: number };
    const { service_user_id } = created;
    for (const body of [{ service_user_id }, { service_user_id: String(service_user_id), app_user_id: 'p' }])
      expect((await scene.newCode(body)).body).toEqual({ ...created, code: expect.any(String) });
    expect(scene.service.auth.codes.at(-1)).toEqual({ client_id: scene.client.client_id, service_user_id });
    expect((await scene.newCode({ service_user_id: other.service_user_id, app_user_id: 'p' })).status).toBe(404);
    expect((await scene.newCode({ service_user_id: 'p' })).status).toBe(400);
  });

  it('does not find users of other clients, and issues no code for an inactive user', async () => {
    expect((await scene.newCode({ app_user_id: 'stranger' })).body).toMatchObject({
      success: false,
      error_code: 'user_not_found',
    });
    expect((await scene.newCode({ app_user_id: 'stranger' })).status).toBe(404);
    expect((await scene.newCode({})).status).toBe(400);
    const { service_user_id } = (await scene.create('off')).body as { service_user_id: number };
    await scene.put({ service_user_id, active: false });
    expect((await scene.newCode({ app_user_id: 'off' })).status).toBe(403);
  });

  it('issues no code when the user is deactivated meanwhile', async () => {
    const { service_user_id } = (await scene.create('race')).body as { service_user_id: number };
    scene.service.auth.beforeCode = async () => {
      scene.service.auth.beforeCode = () => Promise.resolve();
      expect((await scene.put({ service_user_id, active: false })).status).toBe(200);
    };
    expect((await scene.newCode({ app_user_id: 'race' })).status).toBe(403);
  });
});
