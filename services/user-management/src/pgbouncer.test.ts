import { createDatabase, createRole, hasPgBouncer, startPgBouncer } from '@tributary/test-environment';
import request from 'supertest';
import { runForTest } from '../test/running-service';

const test = hasPgBouncer ? it : it.skip;
const path = '/user-management/v1/user';

describe(
  hasPgBouncer
    ? 'behind a connection pooler'
    : 'behind a connection pooler (skipped: /usr/sbin/pgbouncer is not installed)',
  () => {
    test('user management works through PgBouncer in transaction mode, with many more clients than server connections', async () => {
      const database = await createDatabase();
      const role = await createRole(database, 'user_management');
      const bouncer = await startPgBouncer(role.url, 2);
      const sweepsAllTheTime = { SWEEP_EVERY_SECONDS: '0.2', DELIVER_WEBHOOKS_EVERY_SECONDS: '0.2' };
      const service = await runForTest({
        DATABASE_URL: bouncer.url,
        DATABASE_POOLER: 'transaction',
        ...sweepsAllTheTime,
      });
      try {
        const replica = await service.replica();
        const { client_id, client_secret } = service.auth.addClient();
        const as = { client_id, client_secret };
        await Promise.all(
          Array.from({ length: 20 }, async (_x, n) => {
            const { app } = n % 2 ? service : replica;
            const created = await request(app)
              .post(path)
              .set(as)
              .send({ app_user_id: `patient-${n}` });
            expect(created.body).toMatchObject({ success: true, app_user_id: `patient-${n}` });
            const { service_user_id } = created.body as { service_user_id: number };
            expect(
              (
                await request(app)
                  .post(path)
                  .set(as)
                  .send({ app_user_id: `patient-${n}` })
              ).status,
            ).toBe(409);
            expect((await request(app).put(path).set(as).send({ service_user_id, active: false })).body).toMatchObject({
              active: false,
            });
            expect((await request(app).delete(path).set(as).send({ service_user_id })).body).toEqual({ success: true });
          }),
        );
        expect((await request(service.app).get(path).set(as)).body).toMatchObject({ total: 0, entry: [] });
      } finally {
        await service.stop();
        await bouncer.stop();
        await database.drop();
        await role.drop();
      }
    });
  },
);
