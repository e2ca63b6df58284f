import { waitUntil } from '@tributary/test-environment';
import request, { type Response } from 'supertest';
import { type RunningForTest, runForTest } from '../../test/running-service';
import { usersPath as path } from '../../test/user-scene';

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
      await waitUntil(async () => {
        const left = await states();
        return left.length === 1 && left[0]?.['state'] === 'inactive';
      });
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
