import request from 'supertest';
import { userScene, usersPath } from '../../test/user-scene';

const scene = userScene();

describe('DELETE /user', () => {
  it('revokes tokens, destroys the record and deletes the user', async () => {
    const { service_user_id } = (await scene.create('gone')).body as { service_user_id: number };
    const response = await scene.remove({ service_user_id });
    expect([response.status, response.body]).toEqual([200, { success: true }]);
    expect(scene.service.auth.revoked).toContain(service_user_id);
    expect(scene.service.records.destroyed).toContain(service_user_id);
    expect(await scene.service.sql('SELECT * FROM service_user WHERE service_user_id = $1', [service_user_id])).toEqual(
      [],
    );
    expect((await scene.remove({ service_user_id })).status).toBe(404);
  });

  it('can be repeated after an outage of fhir-store; meanwhile no other request finds the user', async () => {
    const { service_user_id } = (await scene.create('half')).body as { service_user_id: number };
    scene.service.records.isUnavailable = true;
    expect((await scene.remove({ service_user_id })).status).toBe(503);
    scene.service.records.isUnavailable = false;
    expect((await scene.list({ service_user_id })).body.total).toBe(0);
    expect((await scene.put({ service_user_id, active: true })).status).toBe(404);
    expect((await scene.create('half')).status).toBe(200);
    expect((await scene.remove({ service_user_id })).status).toBe(200);
  });

  it('takes the user in the body only, and says so', async () => {
    const { service_user_id } = (await scene.create('kept')).body as { service_user_id: number };
    const { client_id, client_secret } = scene.client;
    const response = await request(scene.service.app)
      .delete(`${usersPath}?service_user_id=${service_user_id}`)
      .set({ client_id, client_secret });
    expect([response.status, response.body]).toMatchObject([400, { error: 'service_user_id belongs in the body' }]);
    expect((await scene.list({ service_user_id })).body.total).toBe(1);
  });

  it('does not change users of other clients', async () => {
    const { service_user_id } = (await scene.create('safe')).body as { service_user_id: number };
    const other = scene.service.auth.addClient();
    expect(
      (
        await request(scene.service.app)
          .delete(usersPath)
          .set({ client_id: other.client_id, client_secret: other.client_secret })
          .send({ service_user_id })
      ).status,
    ).toBe(404);
    expect((await scene.list({ service_user_id })).body.total).toBe(1);
  });
});
