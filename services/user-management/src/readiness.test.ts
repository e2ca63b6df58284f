import request from 'supertest';
import { runForTest } from '../test/running-service';

const nowhere = '127.0.0.1:1';

it('is ready without Redis, auth and the other services, and responds with 503 where it needs them', async () => {
  const service = await runForTest({
    REDIS_URL: `redis://${nowhere}`,
    AUTH_INTERNAL_URL: `http://${nowhere}`,
    SEARCH_INTERNAL_URL: `http://${nowhere}`,
    FHIR_STORE_INTERNAL_URL: `http://${nowhere}`,
  });
  try {
    const { status, headers, body } = await request(service.app)
      .get('/user-management/v1/user')
      .set({ client_id: 'diary', client_secret: 'secret' });
    expect([status, headers['retry-after'], body.error_code]).toEqual([503, '2', 'temporarily_unavailable']);
    expect((await request(service.app).get('/.well-known/jwks.json')).status).not.toBe(503);
  } finally {
    await service.stop();
  }
});
