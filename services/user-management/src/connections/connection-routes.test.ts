import request, { type Response } from 'supertest';
import { connect, newPerson } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';
import { typeProgress } from '../../test/type-progress';

describe('connections of a user', () => {
  const scene = connectionScene();
  const { accessToken, connected, forCollection, internal, own, report } = scene;

  it('can be read, and not changed, with a token whose scope only reads', async () => {
    const { connection_id } = await connected();
    const { clientId, serviceUserId } = scene.person;
    const token = scene.service.auth.addToken(clientId, serviceUserId, 'patient/*.rs');
    for (const path of ['', `/${connection_id}`, `/${connection_id}/consent`])
      expect((await own('get', path, token)).status).toBe(200);
    for (const refused of [
      await own('post', `/${connection_id}/refresh`, token),
      await own('delete', `/${connection_id}`, token),
    ]) {
      expect([refused.status, refused.body.error_code]).toEqual([403, 'insufficient_scope']);
      expect(refused.headers['www-authenticate']).toContain('scope="patient/*.cruds"');
    }
    expect((await own('get', `/${connection_id}`)).body.status).toBe('collecting');
  });

  describe('POST …/refresh', () => {
    it('starts one collection', async () => {
      const connection = await connected();
      const during = await own('post', `/${connection.connection_id}/refresh`);
      expect([during.status, during.body]).toMatchObject([200, { success: true, status: 'collecting' }]);
      expect((await forCollection(connection.connection_id)).collection_id).toBe(connection.collection_id);
      await report(connection, { state: 'completed', types: [typeProgress('Patient', 1, 0, true)] });
      const after = await own('post', `/${connection.connection_id}/refresh`);
      expect(after.body).toMatchObject({
        success: true,
        connection_id: connection.connection_id,
        status: 'collecting',
        progress: { collected: 1, types_done: 0, types_total: 1 },
        complete: true,
        last_collected_at: expect.any(String),
      });
      const again = await forCollection(connection.connection_id);
      expect(again.collection_id).not.toBe(connection.collection_id);
      expect(again.last_completed_at).toEqual(expect.any(String));
      expect(await scene.queue.getJob(again.collection_id)).toBeDefined();
    });

    it('has everything read again on request, until a collection that began after it is completed', async () => {
      const connection = await connected();
      const end = async (state: 'completed' | 'failed'): Promise<void> => {
        const current = await forCollection(connection.connection_id);
        const failed = { failure: 'permanent', error: { code: 'internal_error', message: 'a reason' } } as const;
        await report(current, { state, types: [], ...(state === 'failed' ? failed : {}) });
      };
      const isFull = async (): Promise<unknown> => (await forCollection(connection.connection_id)).is_full_requested;
      const refresh = (query = ''): Promise<Response> => own('post', `/${connection.connection_id}/refresh${query}`);

      // The collection in progress may have been planned already.
      expect((await refresh('?full=true')).status).toBe(200);
      expect(await isFull()).toBe(false);
      await end('completed');
      await refresh();
      expect(await isFull()).toBe(true);
      await end('failed');
      await refresh('?full=false');
      expect(await isFull()).toBe(true);
      await end('completed');
      await refresh();
      expect(await isFull()).toBe(false);
      await end('completed');
      await refresh('?full=true');
      expect(await isFull()).toBe(true);
      expect((await refresh('?full=yes')).status).toBe(400);
    });

    it('is full after the user connects again: the new grant may contain more', async () => {
      const first = await connected();
      await report(first, { state: 'completed', types: [] });
      const again = await connected();
      expect([again.connection_id, first.is_full_requested, again.is_full_requested]).toEqual([
        first.connection_id,
        false,
        true,
      ]);
    });

    it('does not find connections of other users', async () => {
      const { connection_id } = await connected();
      const stranger = await newPerson(scene.service);
      for (const [method, path] of [
        ['post', `/${connection_id}/refresh`],
        ['delete', `/${connection_id}`],
        ['get', `/${connection_id}`],
      ] as const)
        expect((await own(method, path, stranger.token)).status).toBe(404);
      expect((await own('get', '', 'no-token-at-all-0123456789')).status).toBe(401);
      expect((await own('post', '/not-an-id/refresh')).status).toBe(400);
    });
  });

  describe('DELETE …', () => {
    it('deletes the tokens', async () => {
      const connection = await connected();
      expect((await own('delete', `/${connection.connection_id}`)).body).toEqual({ success: true });
      expect((await scene.connections())[0]).toMatchObject({ status: 'revoked' });
      expect(
        await scene.service.sql('SELECT * FROM health_system_grant WHERE service_user_id = $1', [
          scene.person.serviceUserId,
        ]),
      ).toEqual([]);
      expect((await internal('get', connection.connection_id)).status).toBe(404);
      expect((await accessToken(connection.connection_id)).body).toMatchObject({ error_code: 'consent_ended' });
      expect((await report(connection, { state: 'collecting', types: [] })).status).toBe(404);
      const again = await own('post', `/${connection.connection_id}/refresh`);
      expect([again.status, again.body]).toMatchObject([
        409,
        { error_code: 'revoked', error: expect.stringContaining('the user has disconnected') },
      ]);
      expect((await own('delete', `/${connection.connection_id}`)).status).toBe(200);
      await scene.connect();
      expect(await scene.connections()).toMatchObject([
        { connection_id: connection.connection_id, status: 'collecting' },
      ]);
    });

    it('keeps the tokens while other connections use them', async () => {
      const shared = await scene.open(['dstu2', 'r4']);
      await connect(scene.service, scene.person, shared);
      const [one, other] = await scene.connections();
      await own('delete', `/${one?.connection_id}`);
      expect((await internal('post', `${other?.connection_id}/access-token`, {})).status).toBe(200);
      await own('delete', `/${other?.connection_id}`);
      expect(
        await scene.service.sql('SELECT * FROM health_system_grant WHERE service_user_id = $1', [
          scene.person.serviceUserId,
        ]),
      ).toEqual([]);
    });
  });

  it('are deleted with their user and the data key of the user', async () => {
    const connection = await connected();
    const deleted = await request(scene.service.app)
      .delete('/user-management/v1/user')
      .set(scene.person.clientHeaders)
      .send({ service_user_id: scene.person.serviceUserId });
    expect(deleted.status).toBe(200);
    expect((await internal('get', connection.connection_id)).status).toBe(404);
    expect(
      await scene.service.sql('SELECT 1 FROM health_system_grant WHERE service_user_id = $1', [
        scene.person.serviceUserId,
      ]),
    ).toEqual([]);
    expect(
      await scene.service.sql('SELECT 1 FROM data_key WHERE scope = $1', [`user-${scene.person.serviceUserId}`]),
    ).toEqual([]);
  });
});
