import { waitUntil } from '@tributary/test-environment';
import type { HealthSystemAccess } from '@tributary/contracts';
import request, { type Response } from 'supertest';
import { admin, refreshIsDue } from '../../test/connect-flow';
import { connectionScene, workerCredentials } from '../../test/connection-scene';

describe('access tokens', () => {
  const scene = connectionScene({ SWEEP_EVERY_SECONDS: '0.1' });
  const { accessToken, connected, own, report } = scene;
  const refreshFailures = async (): Promise<unknown> => {
    const output = await admin(
      scene.service,
      'connection',
      'outcomes',
      '--health-system',
      String(scene.at.id),
      '--json',
    );
    return (JSON.parse(output) as { entry: { refresh_failures: unknown }[] }).entry[0]?.refresh_failures;
  };

  const access = (response: Response): HealthSystemAccess => response.body as HealthSystemAccess;

  it('are the same until one is rejected; concurrent requests then refresh once', async () => {
    const connection = await connected();
    const first = access(await accessToken(connection.connection_id));
    expect(access(await accessToken(connection.connection_id))).toEqual(first);
    scene.at.system.behaviour.delayMs = 150;
    const { internal: second } = await scene.service.replica();
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_x, i) =>
        request(i % 2 ? scene.service.internal : second)
          .post(`/internal/v1/connections/${connection.connection_id}/access-token`)
          .set('Authorization', workerCredentials)
          .send({ refused_token_id: first.token_id }),
      ),
    );
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(asked.map((response) => access(response).access_token)).size).toBe(1);
    expect(access(asked[0] as Response).token_id).not.toBe(first.token_id);
    expect(scene.at.system.tokenRequests.filter(({ grant_type }) => grant_type === 'refresh_token')).toHaveLength(1);
    expect(access(await accessToken(connection.connection_id, first.token_id)).token_id).toBe(
      access(asked[0] as Response).token_id,
    );
  });

  it('are refreshed before they expire; a response without a refresh token keeps the previous one', async () => {
    scene.at.system.behaviour.expiresIn = 1;
    const connection = await connected();
    const ids = new Set<string>();
    const due = (): Promise<unknown> =>
      scene.service.sql(
        `UPDATE health_system_grant SET expires_at = now() - interval '1 second' WHERE service_user_id = $1`,
        [scene.person.serviceUserId],
      );
    for (const rule of ['rotating', 'rotating', 'absent', 'absent', 'rotating'] as const) {
      scene.at.system.behaviour.refresh = rule;
      await due();
      const response = await accessToken(connection.connection_id);
      expect(response.status).toBe(200);
      ids.add(access(response).token_id);
    }
    expect(ids.size).toBe(5);
  });

  it('end with the grant: the connection needs reauthorization', async () => {
    const connection = await connected();
    const first = access(await accessToken(connection.connection_id));
    scene.at.system.liveRefreshToken = 'another';
    const refused = await accessToken(connection.connection_id, first.token_id);
    expect([refused.status, refused.body]).toMatchObject([409, { error_code: 'needs_reauthorization' }]);
    expect((await scene.connections())[0]).toMatchObject({
      status: 'needs_reauthorization',
      error: { code: 'needs_reauthorization', message: expect.any(String) },
    });
    expect((await accessToken(connection.connection_id)).status).toBe(409);
    expect((await report(connection, { state: 'failed', types: [] })).status).toBe(200);
    expect((await scene.connections())[0]?.status).toBe('needs_reauthorization');
    const again = await own('post', `/${connection.connection_id}/refresh`);
    expect([again.status, again.body]).toMatchObject([409, { error_code: 'needs_reauthorization' }]);
    expect(await refreshFailures()).toEqual({ refresh_refused: 1 });
  });

  it('end when no refresh token was issued, with a reason of its own', async () => {
    scene.at.system.behaviour.refresh = 'never';
    const connection = await connected();
    const first = access(await accessToken(connection.connection_id));
    const requests = scene.at.system.tokenRequests.length;
    expect((await scene.connections())[0]).toMatchObject({
      refreshable: false,
      access_expires_at: first.expires_at,
    });
    const refused = await accessToken(connection.connection_id, first.token_id);
    const message = expect.stringContaining('issued no refresh token') as string;
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { error_code: 'needs_reauthorization', error: message },
    ]);
    expect(scene.at.system.tokenRequests).toHaveLength(requests);
    expect((await scene.connections())[0]).toMatchObject({
      status: 'needs_reauthorization',
      error: { code: 'needs_reauthorization', message },
      refreshable: false,
    });
    expect((await scene.connections())[0]?.access_expires_at).toBeUndefined();
    expect(await refreshFailures()).toEqual({ no_refresh_token: 1 });
  });

  it.each(['refused', 'not_registered'] as const)(
    'wait for the operator while our client is %s, and come again by themselves',
    async (problem) => {
      const connection = await connected();
      const first = access(await accessToken(connection.connection_id));
      await request(scene.service.app)
        .post('/connect/v1/webhooks')
        .set(scene.person.clientHeaders)
        .send({ url: 'http://127.0.0.1:9/' });
      const { host } = new URL(scene.at.system.url);
      const { knowsClient } = scene.at.system.behaviour;
      if (problem === 'refused') scene.at.system.behaviour.knowsClient = () => false;
      else await admin(scene.service, 'registration', 'remove', '--host', host);
      const refused = await accessToken(connection.connection_id, first.token_id);
      expect([refused.status, refused.body]).toMatchObject([409, { error_code: 'client_not_accepted' }]);
      expect((await scene.connections())[0]).toMatchObject({
        status: 'collecting',
        error: { code: 'client_not_accepted', message: expect.stringContaining('the operator') },
        retry_at: expect.any(String),
      });
      expect(
        await scene.service.sql('SELECT FROM webhook_event WHERE service_user_id = $1', [scene.person.serviceUserId]),
      ).toEqual([]);
      const { entry: problems } = JSON.parse(await admin(scene.service, 'connection', 'problems', '--json')) as {
        entry: Record<string, unknown>[];
      };
      expect(await refreshFailures()).toEqual({ [`client_${problem}`]: 1 });
      expect(problems.filter(({ health_system_id }) => health_system_id === String(scene.at.id))).toMatchObject([
        { problem, connections: 1, fhir_base_url: `${scene.at.system.url}/fhir/r4` },
      ]);
      scene.at.system.behaviour.knowsClient = knowsClient;
      await scene.queue.remove(connection.collection_id);
      await admin(
        scene.service,
        'registration',
        'set',
        '--host',
        host,
        '--client-id',
        'our-client',
        '--auth-method',
        'none',
      );
      await waitUntil(async () => (await scene.queue.getJob(connection.collection_id)) !== undefined);
      expect((await accessToken(connection.connection_id, first.token_id)).status).toBe(200);
      expect((await scene.connections())[0]).toMatchObject({ status: 'collecting' });
      await report(connection, { state: 'completed', types: [] });
      expect((await scene.connections())[0]?.error).toBeUndefined();
      expect(await admin(scene.service, 'connection', 'problems')).not.toContain(scene.at.system.url);
    },
  );

  it.each([408, 429, 500, 503, 404])('are kept while the token endpoint responds with %i', async (status) => {
    const connection = await connected();
    const first = access(await accessToken(connection.connection_id));
    scene.at.system.behaviour.token = (_request, response) => Boolean(response.status(status).send('later'));
    expect((await accessToken(connection.connection_id, first.token_id)).status).toBe(503);
    expect((await scene.connections())[0]?.status).toBe('collecting');
    expect(await refreshFailures()).toEqual({ [status === 404 ? 'refused' : 'unavailable']: 1 });
    scene.at.system.behaviour.token = undefined;
    await refreshIsDue(scene.service, scene.person);
    expect((await accessToken(connection.connection_id, first.token_id)).status).toBe(200);
  });

  it('are used until they expire while the token endpoint is unavailable', async () => {
    const connection = await connected();
    await scene.service.sql(
      `UPDATE health_system_grant SET obtained_at = now() - interval '1 hour', expires_at = now() + interval '50 seconds' WHERE service_user_id = $1`,
      [scene.person.serviceUserId],
    );
    scene.at.system.behaviour.token = (_request, response) => Boolean(response.status(503).send('later'));
    expect((await accessToken(connection.connection_id)).status).toBe(200);
    expect(scene.at.system.tokenRequests.at(-1)?.['grant_type']).toBe('refresh_token');
  });

  it('are refreshed again after the lease of a killed process expires', async () => {
    const connection = await connected();
    const first = access(await accessToken(connection.connection_id));
    await scene.service.sql(
      `UPDATE health_system_grant SET refresh_lease = gen_random_uuid(), refresh_lease_until = now() + interval '400 milliseconds' WHERE service_user_id = $1`,
      [scene.person.serviceUserId],
    );
    expect((await accessToken(connection.connection_id, first.token_id)).status).toBe(200);
  });
});
