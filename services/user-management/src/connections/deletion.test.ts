import { waitUntil } from '@tributary/test-environment';
import request from 'supertest';
import {
  type ConnectedSystem,
  type Person,
  connect,
  connectionsOf,
  newHealthSystem,
  newPerson,
} from '../../test/connect-flow';
import { workerCredentials } from '../../test/connection-scene';
import { type RunningForTest, runForTest } from '../../test/running-service';

describe('after a disconnect or deletion', () => {
  let service: RunningForTest;
  let person: Person;
  let at: ConnectedSystem;
  beforeAll(async () => {
    service = await runForTest({ SWEEP_EVERY_SECONDS: '0.1' });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    person = await newPerson(service);
    at = await newHealthSystem(service, ['stu3', 'r4']);
    at.system.behaviour.revocation = 200;
  });
  afterEach(() => at.system.close());

  const disconnect = async (connectionId: string): Promise<number> =>
    (
      await request(service.app)
        .delete(`/connect/v1/connections/${connectionId}`)
        .set('Authorization', `Bearer ${person.token}`)
    ).status;
  const disconnectAll = async (): Promise<void> => {
    for (const { connection_id } of await connectionsOf(service, person))
      expect(await disconnect(connection_id)).toBe(200);
  };
  const deleteUser = async (): Promise<number> =>
    (
      await request(service.app)
        .delete('/user-management/v1/user')
        .set(person.clientHeaders)
        .send({ service_user_id: person.serviceUserId })
    ).status;
  const accessToken = async (
    connectionId: string,
    refused?: string,
  ): Promise<{ status: number; body: { token_id: string } }> =>
    request(service.internal)
      .post(`/internal/v1/connections/${connectionId}/access-token`)
      .set('Authorization', workerCredentials)
      .send(refused ? { refused_token_id: refused } : {});

  /** Every value of every table of the schema, as text; bytes as hexadecimal digits. */
  async function everything({ except = '' } = {}): Promise<string> {
    const tables = await service.sql(
      `SELECT table_name FROM information_schema.tables
       WHERE table_schema = 'user_management' AND table_type = 'BASE TABLE' AND table_name <> $1`,
      [except],
    );
    const rows = await Promise.all(
      tables.map(({ table_name }) => service.sql(`SELECT to_jsonb(t)::text AS row FROM "${String(table_name)}" t`)),
    );
    return rows
      .flat()
      .map(({ row }) => row)
      .join('\n');
  }

  /** What must be deleted: sealed tokens, the grant id, and the tokens. */
  async function secretsOf(): Promise<string[]> {
    const grants = await service.sql(
      `SELECT grant_id::text AS id, encode(tokens_sealed, 'hex') AS sealed, token_id::text AS token FROM health_system_grant WHERE service_user_id = $1`,
      [person.serviceUserId],
    );
    expect(grants.length).toBeGreaterThan(0);
    return [
      ...grants.flatMap(({ id, sealed, token }) => [String(id), String(sealed), String(token)]),
      at.system.liveRefreshToken ?? 'none',
    ];
  }

  const revokedTokens = (): string[] => at.system.revocationRequests.map(({ token }) => token ?? '');
  const noneWaits = async (): Promise<boolean> =>
    (await service.sql('SELECT FROM token_revocation WHERE service_user_id = $1', [person.serviceUserId])).length === 0;

  it('no token is left, here or at the health system', async () => {
    await connect(service, person, at);
    const secrets = await secretsOf();
    await disconnectAll();
    await waitUntil(noneWaits);
    expect(at.system.revocationRequests.map(({ token_type_hint, client_id }) => [token_type_hint, client_id])).toEqual([
      ['refresh_token', 'our-client'],
      ['access_token', 'our-client'],
    ]);
    expect(revokedTokens()[0]).toBe(at.system.liveRefreshToken);
    const left = await everything();
    for (const secret of secrets) expect(left).not.toContain(secret);
  });

  it('no token, key or id of a deleted user is left', async () => {
    await connect(service, person, at);
    const secrets = await secretsOf();
    const ids = (await connectionsOf(service, person)).map(({ connection_id }) => connection_id);
    expect(await everything()).toContain(`"user-${person.serviceUserId}"`);
    expect(await deleteUser()).toBe(200);
    await waitUntil(noneWaits);
    expect(revokedTokens()[0]).toBe(at.system.liveRefreshToken);
    const left = await everything({ except: 'retained_consent' });
    const retained = await service.sql('SELECT to_jsonb(t)::text AS row FROM retained_consent t', []);
    expect(retained).toHaveLength(2);
    for (const id of [...secrets, ...ids]) expect(JSON.stringify(retained)).not.toContain(id);
    for (const secret of [
      ...secrets,
      ...ids,
      `"user-${person.serviceUserId}"`,
      `"service_user_id": ${person.serviceUserId},`,
      `"service_user_id": ${person.serviceUserId}}`,
    ])
      expect(left).not.toContain(secret);
  });

  it('no token is left when both connections of a grant are disconnected concurrently', async () => {
    await connect(service, person, at);
    const [one, other] = await connectionsOf(service, person);
    // Both requests are stopped after the first has changed its row, which the second cannot see.
    await service.sql(
      `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NULL; END $$`,
    );
    await service.sql(
      `CREATE TRIGGER hold AFTER UPDATE ON connection FOR EACH ROW WHEN (new.status = 'revoked') EXECUTE FUNCTION hold()`,
    );
    const [barrier] = await service.sql('SELECT pg_backend_pid() AS pid, pg_advisory_lock(4711)');
    const calls = Promise.all([disconnect(one?.connection_id ?? ''), disconnect(other?.connection_id ?? '')]);
    await waitUntil(
      async () =>
        (
          await service.sql(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )
        ).length >= 2,
    );
    // The lock is held by a connection of the pool of this test, which is terminated.
    await service.sql('SELECT pg_terminate_backend($1)', [barrier?.['pid']]).catch(() => undefined);
    expect(await calls).toEqual([200, 200]);
    await service.sql('DROP TRIGGER hold ON connection; DROP FUNCTION hold()');
    expect(
      await service.sql('SELECT FROM health_system_grant WHERE service_user_id = $1', [person.serviceUserId]),
    ).toEqual([]);
    await waitUntil(noneWaits);
    expect(revokedTokens()).toHaveLength(2);
  });

  it('no token of a later end of a refresh is left', async () => {
    await connect(service, person, at);
    const [one] = await connectionsOf(service, person);
    const first = await accessToken(one?.connection_id ?? '');
    let respond: () => void = () => undefined;
    const isRequested = new Promise<void>((requested) => {
      at.system.behaviour.beforeToken = () =>
        new Promise((go) => {
          respond = go;
          requested();
        });
    });
    const refreshing = accessToken(one?.connection_id ?? '', first.body.token_id);
    await isRequested;
    await disconnectAll();
    respond();
    expect((await refreshing).status).toBe(409);
    await waitUntil(noneWaits);
    expect(revokedTokens()).toContain(at.system.liveRefreshToken);
    expect(
      await service.sql('SELECT FROM health_system_grant WHERE service_user_id = $1', [person.serviceUserId]),
    ).toEqual([]);
  });

  it('tokens are revoked after an outage of the health system, and deleted after 72 hours', async () => {
    at.system.behaviour.revocation = 503;
    await connect(service, person, at);
    await disconnectAll();
    await waitUntil(() => at.system.revocationRequests.length > 0);
    const waiting = async (): Promise<Record<string, unknown>> =>
      (
        await service.sql(
          `SELECT *, due_at BETWEEN now() AND now() + interval '100 seconds' AS is_later FROM token_revocation WHERE service_user_id = $1`,
          [person.serviceUserId],
        )
      )[0] ?? {};
    await waitUntil(async () => (await waiting())['is_later'] === true);
    expect(JSON.stringify(await waiting())).not.toContain(at.system.liveRefreshToken);
    await service.sql(
      `UPDATE token_revocation SET due_at = now(), created_at = now() - interval '73 hours' WHERE service_user_id = $1`,
      [person.serviceUserId],
    );
    await waitUntil(noneWaits);
  });

  it('tokens that cannot be opened or sent prevent nothing', async () => {
    const none = await newPerson(service);
    await service.sql(
      `INSERT INTO token_revocation (revocation_id, service_user_id, fhir_base_url, fhir_version, client_authentication_method, tokens_sealed, created_at)
       SELECT gen_random_uuid(), $1, 'nonsense', 'r4', 'none', 'nonsense', now() - n * interval '80 hours' FROM generate_series(0, 25) n`,
      [none.serviceUserId],
    );
    await connect(service, person, at);
    await disconnectAll();
    await waitUntil(noneWaits);
    expect(at.system.revocationRequests).toHaveLength(2);
    await waitUntil(
      async () =>
        (await service.sql('SELECT FROM token_revocation WHERE service_user_id = $1', [none.serviceUserId])).length ===
        0,
    );
  });

  it('nothing waits for a health system without a revocation endpoint', async () => {
    at.system.behaviour.revocation = undefined;
    await connect(service, person, at);
    await disconnectAll();
    await waitUntil(noneWaits);
    expect(at.system.revocationRequests).toEqual([]);
  });

  it('tokens are not revoked when the user has connected again meanwhile', async () => {
    await connect(service, person, at);
    await service.sql(`CREATE RULE later AS ON UPDATE TO token_revocation DO INSTEAD NOTHING`);
    await disconnectAll();
    await connect(service, person, at);
    await service.sql(`DROP RULE later ON token_revocation`);
    await waitUntil(noneWaits);
    expect(at.system.revocationRequests).toEqual([]);
    const [one] = await connectionsOf(service, person);
    expect((await accessToken(one?.connection_id ?? '')).status).toBe(200);
  });

  describe('of a connect that failed after the tokens were issued', () => {
    const isDue = (): Promise<unknown> =>
      service.sql(`UPDATE token_revocation SET due_at = now() WHERE service_user_id = $1`, [person.serviceUserId]);

    it('no token is left at the health system', async () => {
      at.system.behaviour.patient = undefined;
      const end = await connect(service, person, at);
      expect(end.searchParams.get('error')).toBe('no_patient');
      expect(await everything()).not.toContain(at.system.liveRefreshToken);
      expect([at.system.revocationRequests, await noneWaits()]).toEqual([[], false]);
      await isDue();
      await waitUntil(noneWaits);
      expect(revokedTokens()).toContain(at.system.liveRefreshToken);
    });

    it('no token is revoked when a later authorization has succeeded', async () => {
      at.system.behaviour.patient = undefined;
      await connect(service, person, at);
      at.system.behaviour.patient = 'a-patient';
      expect((await connect(service, person, at)).searchParams.get('success')).toBe('true');
      await isDue();
      await waitUntil(noneWaits);
      expect(at.system.revocationRequests).toEqual([]);
    });
  });

  it('a late request creates no data key for a deleted user', async () => {
    await connect(service, person, at);
    expect(await deleteUser()).toBe(200);
    await expect(
      service.sql(`INSERT INTO data_key (scope, wrapped) VALUES ('user-${person.serviceUserId}', 'x')`),
    ).rejects.toThrow('data_key_of_user');
  });
});
