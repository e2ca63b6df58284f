import { waitUntil } from '@tributary/test-environment';
import request from 'supertest';
import { type RunningForTest, runForTest } from '../../test/running-service';
import { usersPath } from '../../test/user-scene';

describe('the deletion of a client', () => {
  let service: RunningForTest;
  beforeAll(async () => {
    service = await runForTest({ SWEEP_EVERY_SECONDS: '0.1' });
  });
  afterAll(() => service.stop());

  const clientWithUsers = async (users: number): Promise<{ client_id: string; ids: number[] }> => {
    const { client_id, client_secret } = service.auth.addClient();
    const ids: number[] = [];
    for (let n = 0; n < users; n++) {
      const { body } = await request(service.app)
        .post(usersPath)
        .set({ client_id, client_secret })
        .send({ app_user_id: `u${n}` });
      ids.push((body as { service_user_id: number }).service_user_id);
    }
    await service.sql(
      `INSERT INTO webhook_endpoint (endpoint_id, client_id, mode, url, secret_sealed)
       VALUES (gen_random_uuid(), $1, 'test', 'https://client.example/hook', '')`,
      [client_id],
    );
    await service.sql(
      `INSERT INTO client_outcome (client_id, day, shard, kind, health_system_id, label, health_system_name, occurrences)
       VALUES ($1, current_date, 0, 'collection', 0, 'complete', '', 1)`,
      [client_id],
    );
    return { client_id, ids };
  };
  const left = async (clientId: string): Promise<unknown> => {
    const [counts] = await service.sql(
      `SELECT (SELECT count(*)::int FROM service_user WHERE client_id = $1) AS users,
         (SELECT count(*)::int FROM webhook_endpoint WHERE client_id = $1) AS endpoints,
         (SELECT count(*)::int FROM client_user_count WHERE client_id = $1) AS counts,
         (SELECT count(*)::int FROM client_outcome WHERE client_id = $1) AS outcomes,
         (SELECT count(*)::int FROM data_key WHERE scope = 'client-' || $1) AS keys`,
      [clientId],
    );
    return counts;
  };
  /** The sweep waits a minute, so that a request can finish what it has begun. */
  const letTimePass = (clientId: string): Promise<unknown> =>
    service.sql(
      `UPDATE service_user SET changed_at = now() - interval '2 minutes' WHERE client_id = $1 AND state = 'deleting'`,
      [clientId],
    );

  it('deletes its users, their records and its webhook endpoints, and removes it after them', async () => {
    const [gone, kept] = [await clientWithUsers(3), await clientWithUsers(1)];
    service.records.stuck.add(gone.ids[0]!);
    service.auth.deleting.add(gone.client_id);
    await waitUntil(async () => {
      await letTimePass(gone.client_id);
      return JSON.stringify(await left(gone.client_id)).startsWith('{"users":1,"endpoints":0');
    });
    expect(service.auth.deleting.has(gone.client_id)).toBe(true);
    service.records.stuck.clear();
    await waitUntil(async () => {
      await service.sql('UPDATE service_user SET change_retry_at = NULL WHERE client_id = $1', [gone.client_id]);
      return !service.auth.deleting.has(gone.client_id);
    });
    expect(await left(gone.client_id)).toEqual({ users: 0, endpoints: 0, counts: 0, outcomes: 0, keys: 0 });
    expect(service.records.destroyed).toEqual(expect.arrayContaining(gone.ids));
    expect(service.auth.revoked).toEqual(expect.arrayContaining(gone.ids));
    expect(await left(kept.client_id)).toEqual({ users: 1, endpoints: 1, counts: 1, outcomes: 1, keys: 1 });
  });

  it('is not stopped by another one that fails', async () => {
    const [stuck, gone] = [await clientWithUsers(1), await clientWithUsers(1)];
    await service.sql(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
       CREATE TRIGGER refuse BEFORE UPDATE ON webhook_endpoint FOR EACH ROW
         WHEN (old.client_id = '${stuck.client_id}') EXECUTE FUNCTION refuse()`,
    );
    service.auth.deleting.add(stuck.client_id).add(gone.client_id);
    await waitUntil(async () => {
      await letTimePass(gone.client_id);
      return !service.auth.deleting.has(gone.client_id);
    });
    expect(await left(stuck.client_id)).toMatchObject({ users: 1, endpoints: 1 });
  });
});
