import type { ConnectionForCollection } from '@tributary/contracts';
import request, { type Response } from 'supertest';
import {
  type ConnectedSystem,
  type Person,
  connect,
  connectionsOf,
  newHealthSystem,
  newPerson,
} from '../../test/connect-flow';
import { type RunningForTest, runForTest, workerKey } from '../../test/running-service';
import { waitUntil } from '../../test/wait-until';

const credentials = `Basic ${Buffer.from(`ingestion-worker:${workerKey}`).toString('base64')}`;

describe('a refresh', () => {
  let service: RunningForTest;
  let person: Person;
  let at: ConnectedSystem;
  let connectionId: string;
  beforeAll(async () => {
    service = await runForTest();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    person = await newPerson(service);
    at = await newHealthSystem(service);
    await connect(service, person, at);
    connectionId = (await connectionsOf(service, person))[0]?.connection_id ?? '';
  });
  afterEach(() => at.system.close());

  const token = async (refused?: string, app = service.internal): Promise<Response> =>
    request(app)
      .post(`/internal/v1/connections/${connectionId}/access-token`)
      .set('Authorization', credentials)
      .send(refused ? { refused_token_id: refused } : {});
  const tokenId = async (): Promise<string> => ((await token()).body as { token_id: string }).token_id;
  const refreshes = (): number =>
    at.system.tokenRequests.filter(({ grant_type }) => grant_type === 'refresh_token').length;

  it('stores its tokens after failures of the database', async () => {
    const first = await tokenId();
    await service.sql('CREATE SEQUENCE failures');
    await service.sql(
      `CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('failures') <= 2 THEN RAISE EXCEPTION 'the disk is full'; END IF; RETURN new; END $$`,
    );
    await service.sql(
      'CREATE TRIGGER fail_twice BEFORE UPDATE OF tokens_sealed ON health_system_grant FOR EACH ROW EXECUTE FUNCTION fail_twice()',
    );
    const refreshed = await token(first);
    await service.sql(
      'DROP TRIGGER fail_twice ON health_system_grant; DROP FUNCTION fail_twice(); DROP SEQUENCE failures',
    );
    expect(refreshed.status).toBe(200);
    expect(refreshes()).toBe(1);
    const again = await token((refreshed.body as { token_id: string }).token_id);
    expect([again.status, refreshes()]).toEqual([200, 2]);
  });

  it('renews its lease until the health system responds', async () => {
    const first = await tokenId();
    let respond: () => void = () => undefined;
    const isRequested = new Promise<void>((requested) => {
      at.system.behaviour.beforeToken = () =>
        new Promise((go) => {
          respond = go;
          requested();
        });
    });
    const refreshing = token(first);
    await isRequested;
    // Most of the lease has passed.
    const left = async (): Promise<number> =>
      (
        await service.sql(
          'SELECT extract(epoch FROM refresh_lease_until - now())::float AS seconds FROM health_system_grant WHERE service_user_id = $1',
          [person.serviceUserId],
        )
      )[0]?.['seconds'] as number;
    await service.sql(
      `UPDATE health_system_grant SET refresh_lease_until = now() + interval '12 seconds' WHERE service_user_id = $1`,
      [person.serviceUserId],
    );
    await waitUntil(async () => (await left()) > 13);
    expect(refreshes()).toBe(1);
    at.system.behaviour.beforeToken = undefined;
    respond();
    expect((await refreshing).status).toBe(200);
    expect(refreshes()).toBe(1);
  });

  it('records the requested scope when the token response has none', async () => {
    const other = await newHealthSystem(service);
    other.system.behaviour.omitScope = true;
    // The registration changes while the user is at the health system.
    other.system.behaviour.beforeAuthorize = () =>
      service
        .sql(`UPDATE registration SET scopes = 'something/else' WHERE pattern = $1`, [new URL(other.system.url).host])
        .then(() => undefined);
    await connect(service, person, other);
    const id = (await connectionsOf(service, person)).find(
      ({ connection_id }) => connection_id !== connectionId,
    )?.connection_id;
    const connection = (
      await request(service.internal).get(`/internal/v1/connections/${id}`).set('Authorization', credentials)
    ).body as ConnectionForCollection;
    expect(connection.granted_scope).toBe(other.system.authorizations[0]?.['scope']);
    expect(connection.granted_scope).not.toBe('something/else');
    await other.system.close();
  });
});
