import request from 'supertest';
import { runForTest } from '../../test/running-service';
import { usersPath as path } from '../../test/user-scene';

describe('the hourly limit', () => {
  it('counts all requests of a client over all routes and replicas, except those that fail authentication', async () => {
    const service = await runForTest({ RATE_LIMIT_PER_HOUR: '6', RATE_LIMITS: 'failed-pair=off' });
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
      expect(refused.headers['ratelimit-policy']).toBe('"user-management";q=6;w=3600');
      expect(refused.headers['ratelimit']).toMatch(/^"user-management";r=0;t=\d+$/);
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
