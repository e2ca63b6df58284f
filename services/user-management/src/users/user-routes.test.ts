import request from 'supertest';
import { userScene, usersPath } from '../../test/user-scene';

const scene = userScene();

describe('the routes of users', () => {
  it('serves its OpenAPI document', async () => {
    const { paths } = (await request(scene.service.app).get('/openapi.json')).body as { paths: Record<string, object> };
    expect(Object.keys(paths[usersPath] ?? {}).sort()).toEqual(['delete', 'get', 'post', 'put']);
  });

  it('responds with 405 and 404', async () => {
    const wrong = await request(scene.service.app).patch(usersPath);
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, expect.stringContaining('PUT')]);
    expect((await request(scene.service.app).get('/user-management/v1/users')).status).toBe(404);
  });
});
