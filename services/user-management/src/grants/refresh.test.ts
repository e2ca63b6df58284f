import { waitUntil } from '@tributary/test-environment';
import type { Express } from 'express';
import type { Response } from 'supertest';
import { connect } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';

describe('a refresh', () => {
  const scene = connectionScene();
  let connectionId: string;
  beforeEach(async () => {
    connectionId = (await scene.connected()).connection_id;
  });

  const token = (refused?: string, app?: Express): Promise<Response> => scene.accessToken(connectionId, refused, app);
  const tokenId = async (): Promise<string> => ((await token()).body as { token_id: string }).token_id;
  const refreshes = (): number =>
    scene.at.system.tokenRequests.filter(({ grant_type }) => grant_type === 'refresh_token').length;

  it('stores its tokens after failures of the database', async () => {
    const first = await tokenId();
    await scene.service.sql('CREATE SEQUENCE failures');
    await scene.service.sql(
      `CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('failures') <= 2 THEN RAISE EXCEPTION 'the disk is full'; END IF; RETURN new; END $$`,
    );
    await scene.service.sql(
      'CREATE TRIGGER fail_twice BEFORE UPDATE OF tokens_sealed ON health_system_grant FOR EACH ROW EXECUTE FUNCTION fail_twice()',
    );
    const refreshed = await token(first);
    await scene.service.sql(
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
      scene.at.system.behaviour.beforeToken = () =>
        new Promise((go) => {
          respond = go;
          requested();
        });
    });
    const refreshing = token(first);
    await isRequested;
    const left = async (): Promise<number> =>
      (
        await scene.service.sql(
          'SELECT extract(epoch FROM refresh_lease_until - now())::float AS seconds FROM health_system_grant WHERE service_user_id = $1',
          [scene.person.serviceUserId],
        )
      )[0]?.['seconds'] as number;
    // Each renewal sets its own lifetime, which is shorter. Here the lease cannot expire, however slow the machine is.
    await scene.service.sql(
      `UPDATE health_system_grant SET refresh_lease_until = now() + interval '1 hour' WHERE service_user_id = $1`,
      [scene.person.serviceUserId],
    );
    await waitUntil(async () => (await left()) < 1800);
    expect(refreshes()).toBe(1);
    scene.at.system.behaviour.beforeToken = undefined;
    respond();
    expect((await refreshing).status).toBe(200);
    expect(refreshes()).toBe(1);
  });

  it('records the requested scope when the token response has none', async () => {
    const other = await scene.open();
    other.system.behaviour.omitScope = true;
    // The registration changes while the user is at the health system.
    other.system.behaviour.beforeAuthorize = () =>
      scene.service
        .sql(`UPDATE registration SET scopes = 'something/else' WHERE pattern = $1`, [new URL(other.system.url).host])
        .then(() => undefined);
    await connect(scene.service, scene.person, other);
    const id = (await scene.connections()).find(({ connection_id }) => connection_id !== connectionId)?.connection_id;
    const connection = await scene.forCollection(id ?? '');
    expect(connection.granted_scope).toBe(other.system.authorizations[0]?.['scope']);
    expect(connection.granted_scope).not.toBe('something/else');
  });
});
