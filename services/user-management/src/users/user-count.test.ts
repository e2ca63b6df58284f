import request from 'supertest';
import { runForTest } from '../../test/running-service';
import { usersPath as path } from '../../test/user-scene';

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
