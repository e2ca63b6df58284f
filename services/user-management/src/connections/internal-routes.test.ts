import { randomUUID } from 'node:crypto';
import type { ConnectionForCollection } from '@tributary/contracts';
import request from 'supertest';
import { connect } from '../../test/connect-flow';
import { connectionScene, workerCredentials } from '../../test/connection-scene';

describe('connections for the ingestion worker', () => {
  const scene = connectionScene();
  const { accessToken, connected, internal, own } = scene;

  it('gives the worker the facts of a connection', async () => {
    const connection = await connected();
    expect(connection).toEqual({
      connection_id: expect.any(String),
      client_id: scene.person.clientId,
      service_user_id: scene.person.serviceUserId,
      health_system_id: scene.at.id,
      fhirVersion: 'r4',
      fhir_base_url: `${scene.at.system.url}/fhir/r4`,
      patient_id: 'patient-77',
      requested_scope: 'launch/patient openid fhirUser offline_access patient/*.read',
      granted_scope: 'launch/patient openid fhirUser offline_access patient/*.read',
      consented_types: null,
      search_parameters: {},
      status: 'collecting',
      collection_id: expect.any(String),
      last_completed_at: null,
      is_full_requested: false,
    });
    expect((await accessToken(connection.connection_id)).body).toEqual({
      access_token: expect.stringMatching(/^access-/),
      token_id: expect.any(String),
      expires_at: expect.any(String),
    });
  });

  it('accepts service credentials only', async () => {
    const { connection_id } = await connected();
    for (const authorization of ['', `Bearer ${scene.person.token}`, 'Basic eDp5'])
      expect(
        (
          await request(scene.service.internal)
            .post(`/internal/v1/connections/${connection_id}/access-token`)
            .set('Authorization', authorization)
        ).status,
      ).toBe(401);
    expect(
      (
        await request(scene.service.app)
          .get(`/internal/v1/connections/${connection_id}`)
          .set('Authorization', workerCredentials)
      ).status,
    ).toBe(404);
  });

  it('lets the worker store nothing of a collection whose consent was replaced or has ended', async () => {
    const asked = async ({ connection_id, collection_id }: ConnectionForCollection): Promise<number> =>
      (await internal('get', `${connection_id}/collections/${collection_id}`)).status;
    const first = await connected();
    expect(await asked(first)).toBe(200);
    const second = await connected();
    expect(second.connection_id).toBe(first.connection_id);
    expect([await asked(first), await asked(second)]).toEqual([409, 200]);
    await own('delete', `/${second.connection_id}`);
    expect(await asked(second)).toBe(409);
    const third = await connected();
    await scene.service.sql(
      `UPDATE consent_receipt SET given_at = given_at - interval '1 day', expires_at = now() - interval '1 second'
       WHERE connection_id = $1 AND ended_at IS NULL`,
      [third.connection_id],
    );
    expect(await asked(third)).toBe(409);
    expect((await scene.connections())[0]).toMatchObject({ status: 'revoked', consent: { ended_by: 'expiry' } });
  });

  it('reports which connections exist, and which are revoked', async () => {
    const live = await connected();
    const other = await scene.open();
    await connect(scene.service, scene.person, other);
    const revoked =
      (await scene.connections()).find(({ connection_id }) => connection_id !== live.connection_id)?.connection_id ??
      '';
    await own('delete', `/${revoked}`);
    const response = await internal('post', 'status', { connection_ids: [live.connection_id, randomUUID(), revoked] });
    expect(response.status).toBe(200);
    const { connections } = response.body as { connections: { connection_id: string; status: string }[] };
    expect(new Map(connections.map(({ connection_id, status }) => [connection_id, status]))).toEqual(
      new Map([
        [live.connection_id, 'collecting'],
        [revoked, 'revoked'],
      ]),
    );
    expect((await internal('post', 'status', { connection_ids: ['nonsense'] })).status).toBe(400);
    expect(
      (await request(scene.service.internal).post('/internal/v1/connections/status').send({ connection_ids: [] }))
        .status,
    ).toBe(401);
  });

  it('enqueues a job with ids and the host only', async () => {
    const connection = await connected();
    const job = await scene.queue.getJob(connection.collection_id);
    expect(job?.data).toEqual({
      connection_id: connection.connection_id,
      collection_id: connection.collection_id,
      host: new URL(scene.at.system.url).host,
    });
  });
});
