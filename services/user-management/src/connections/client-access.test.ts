import { connectionList } from '@tributary/contracts';
import request, { type Response } from 'supertest';
import { newPerson } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';

describe('connections with client credentials', () => {
  const scene = connectionScene();
  beforeEach(() => scene.connect());

  const send = async (
    method: 'get' | 'post' | 'delete',
    path: string,
    query: Record<string, string | number> = { service_user_id: scene.person.serviceUserId },
    headers: Record<string, string> = scene.person.clientHeaders,
  ): Promise<Response> =>
    request(scene.service.app)[method](`/connect/v1/connections${path}`).query(query).set(headers);

  it('list, show, refresh and revoke the connections of a user', async () => {
    const ofUser = await scene.connections();
    const listed = await send('get', '');
    expect([listed.status, connectionList.parse(listed.body).entry]).toEqual([200, ofUser]);
    const path = `/${ofUser[0]?.connection_id}`;
    expect((await send('get', path)).body).toMatchObject({ success: true, ...ofUser[0] });
    expect((await send('post', `${path}/refresh`)).body).toMatchObject({ success: true, status: 'collecting' });
    expect((await send('delete', path)).body).toEqual({ success: true });
    expect((await scene.connections())[0]?.status).toBe('revoked');
    const again = await send('post', `${path}/refresh`);
    expect([again.status, again.body]).toMatchObject([409, { error_code: 'revoked' }]);
  });

  it('do not count against the hourly limit of user management', async () => {
    expect((await send('get', '')).headers).not.toHaveProperty('ratelimit-limit');
  });

  it('are those of a user of this client only', async () => {
    const [connection] = await scene.connections();
    const stranger = await newPerson(scene.service);
    const path = `/${connection?.connection_id}`;
    for (const [method, where] of [
      ['get', ''],
      ['get', path],
      ['post', `${path}/refresh`],
      ['delete', path],
    ] as const) {
      const foreignUser = await send(method, where, undefined, stranger.clientHeaders);
      expect([foreignUser.status, foreignUser.body]).toMatchObject([404, { error_code: 'user_not_found' }]);
      const missing = await send(method, where, {});
      expect([missing.status, missing.body]).toMatchObject([400, { error: 'service_user_id is missing' }]);
      const nonsense = await send(method, where, { service_user_id: 'x' });
      expect([nonsense.status, nonsense.body]).toMatchObject([
        400,
        { error: 'service_user_id: must be a positive integer' },
      ]);
      expect((await send(method, where, undefined, { ...scene.person.clientHeaders, client_secret: 'x' })).status).toBe(
        401,
      );
    }
    const ownUser = { service_user_id: stranger.serviceUserId };
    const foreignConnection = await send('get', path, ownUser, stranger.clientHeaders);
    expect([foreignConnection.status, foreignConnection.body]).toMatchObject([
      404,
      { error_code: 'connection_not_found' },
    ]);
    expect((await scene.connections())[0]?.status).toBe('collecting');
  });

  it('are not combined with a bearer token', async () => {
    const bearer = { Authorization: `Bearer ${scene.person.token}` };
    const both = await send('get', '', undefined, { ...scene.person.clientHeaders, ...bearer });
    expect([both.status, both.body]).toMatchObject([400, { error: expect.stringContaining('not both') }]);
    const named = await send('get', '', undefined, bearer);
    expect([named.status, named.body]).toMatchObject([400, { error: expect.stringContaining('service_user_id') }]);
    expect((await send('get', '', {}, {})).status).toBe(401);
  });

  it('of an inactive user can be listed and revoked, and not refreshed', async () => {
    await request(scene.service.app)
      .put('/user-management/v1/user')
      .set(scene.person.clientHeaders)
      .send({ service_user_id: scene.person.serviceUserId, active: false });
    const listed = connectionList.parse((await send('get', '')).body).entry;
    const path = `/${listed[0]?.connection_id}`;
    const refreshed = await send('post', `${path}/refresh`);
    expect([refreshed.status, refreshed.body]).toMatchObject([403, { error_code: 'user_inactive' }]);
    expect((await send('delete', path)).status).toBe(200);
    expect(connectionList.parse((await send('get', '')).body).entry[0]?.status).toBe('revoked');
  });
});
