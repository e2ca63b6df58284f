import { waitUntil } from '@tributary/test-environment';
import type { ConnectionForCollection, HealthSystemAccess } from '@tributary/contracts';
import { Client } from 'pg';
import { connect, refreshIsDue } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';
import { typeProgress } from '../../test/type-progress';

/** Moves the consents of a connection so that their time has run out a second ago. */
const expire = `UPDATE consent_receipt SET given_at = given_at - interval '1 day', expires_at = now() - interval '1 second'
  WHERE connection_id = $1 AND ended_at IS NULL`;

describe('a consent whose time has run out, before the sweep ends it', () => {
  const scene = connectionScene();
  const { accessToken, connected, internal, own, report } = scene;

  const expired = async (): Promise<ConnectionForCollection> => {
    const connection = await connected();
    await scene.service.sql(expire, [connection.connection_id]);
    return connection;
  };
  const isRevoked = async (): Promise<void> => {
    expect((await scene.connections())[0]).toMatchObject({ status: 'revoked', consent: { ended_by: 'expiry' } });
    expect(
      await scene.service.sql('SELECT FROM health_system_grant WHERE service_user_id = $1', [
        scene.person.serviceUserId,
      ]),
    ).toEqual([]);
    expect(
      await scene.service.sql('SELECT FROM token_revocation WHERE service_user_id = $1', [scene.person.serviceUserId]),
    ).toHaveLength(1);
  };

  it('gives the worker no access token', async () => {
    const { connection_id } = await expired();
    const first = await accessToken(connection_id);
    expect([first.status, first.body]).toMatchObject([409, { error_code: 'consent_ended' }]);
    await isRevoked();
    expect((await accessToken(connection_id)).body).toMatchObject({ error_code: 'consent_ended' });
  });

  it('gives the worker no access token either when it runs out while the token is refreshed', async () => {
    const { connection_id } = await connected();
    const { token_id } = (await accessToken(connection_id)).body as HealthSystemAccess;
    await refreshIsDue(scene.service, scene.person);
    scene.at.system.behaviour.beforeToken = async () => void (await scene.service.sql(expire, [connection_id]));
    const refused = await accessToken(connection_id, token_id);
    expect([refused.status, refused.body]).toMatchObject([409, { error_code: 'consent_ended' }]);
    await isRevoked();
  });

  it('lets no collection begin, and none be resumed', async () => {
    const connection = await expired();
    expect((await internal('get', connection.connection_id)).status).toBe(404);
    await isRevoked();
  });

  it('ends the collection under way with its next report', async () => {
    const connection = await expired();
    const types = [typeProgress('Patient', 1, 0, true)];
    expect((await report(connection, { state: 'collecting', types })).status).toBe(409);
    expect((await report(connection, { state: 'completed', types: [] })).status).toBe(409);
    expect((await report(connection, { state: 'failed', failure: 'transient', types: [] })).status).toBe(409);
    const [entry] = await scene.connections();
    expect([entry?.status, entry?.last_collected_at, entry?.progress.types_total]).toEqual(['collecting', null, 0]);
  });

  it('refuses the request of the user to collect again', async () => {
    const connection = await connected();
    await report(connection, { state: 'completed', types: [] });
    await scene.service.sql(expire, [connection.connection_id]);
    const refused = await own('post', `/${connection.connection_id}/refresh?full=true`);
    expect([refused.status, refused.body]).toMatchObject([409, { error_code: 'consent_ended' }]);
    await isRevoked();
  });

  it('limits the access of the worker to its own time', async () => {
    const { connection_id } = await connected();
    const expiryOf = async (seconds: number): Promise<[string | null, unknown]> => {
      const [row] = await scene.service.sql(
        `UPDATE consent_receipt SET expires_at = now() + $2 * interval '1 second' WHERE connection_id = $1
         RETURNING expires_at`,
        [connection_id, seconds],
      );
      const access = (await accessToken(connection_id)).body as HealthSystemAccess;
      return [access.expires_at, (row!['expires_at'] as Date).toISOString()];
    };
    const [ofAccess, ofConsent] = await expiryOf(600);
    expect(ofAccess).toBe(ofConsent);
    const [ofToken, ofLongConsent] = await expiryOf(86_400);
    expect(ofToken).not.toBe(ofLongConsent);
  });

  it('does not concern the other connections of the grant', async () => {
    const shared = await scene.open(['dstu2', 'r4']);
    await connect(scene.service, scene.person, shared);
    const [one, other] = await scene.connections();
    await scene.service.sql(expire, [one?.connection_id]);
    expect((await accessToken(one?.connection_id ?? '')).status).toBe(409);
    expect((await accessToken(other?.connection_id ?? '')).status).toBe(200);
  });

  it('does not keep the user from connecting again', async () => {
    const { connection_id } = await expired();
    await scene.connect();
    expect(await scene.connections()).toMatchObject([{ connection_id, status: 'collecting' }]);
    expect((await own('get', `/${connection_id}/consent`)).body).toMatchObject({
      expires_at: null,
      earlier: [{ ended_by: 'expiry' }],
    });
    expect((await accessToken(connection_id)).status).toBe(200);
  });

  it('does not revoke the connection when a new consent is stored first', async () => {
    const { connection_id } = await expired();
    const callback = new Client(scene.service.environment['DATABASE_URL']);
    await callback.connect();
    try {
      await callback.query('SET search_path = user_management');
      await callback.query('BEGIN');
      await callback.query('SELECT FROM service_user WHERE service_user_id = $1 FOR NO KEY UPDATE', [
        scene.person.serviceUserId,
      ]);
      const asked = accessToken(connection_id);
      await waitUntil(async () => {
        const waiting = await scene.service.sql(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
      await callback.query(
        `UPDATE consent_receipt SET ended_at = now(), ended_by = 'replaced' WHERE connection_id = $1`,
        [connection_id],
      );
      await callback.query(
        `WITH given AS (INSERT INTO consent_receipt (receipt_id, connection_id, content_sealed, given_at)
           VALUES (gen_random_uuid(), $1, '', now()) RETURNING receipt_id)
         UPDATE connection SET consent_receipt_id = given.receipt_id FROM given WHERE connection_id = $1`,
        [connection_id],
      );
      await callback.query('COMMIT');
      expect((await asked).status).toBe(200);
      expect((await accessToken(connection_id)).status).toBe(200);
    } finally {
      await callback.end();
    }
  });
});

describe('the sweep of consents', () => {
  const scene = connectionScene({ SWEEP_EVERY_SECONDS: '0.1' });
  const { connected, report } = scene;

  it('revokes connections whose consent has run out, once, and reports who did it', async () => {
    const connection = await connected();
    await scene.service.replica();
    const collectionIds = new Set([connection.collection_id]);
    await report(connection, { state: 'completed', types: [] });
    await scene.service.sql(
      `INSERT INTO webhook_endpoint (endpoint_id, client_id, mode, url, secret_sealed, status)
       VALUES (gen_random_uuid(), $1, 'test', 'https://client.example/webhooks', '', 'enabled')`,
      [scene.person.clientId],
    );
    // Due at the same moment: the collection must not win.
    await scene.service.sql(
      `WITH due AS (UPDATE connection SET next_collection_at = now() WHERE connection_id = $1)
       UPDATE consent_receipt SET given_at = given_at - interval '1 day', expires_at = now() WHERE connection_id = $1`,
      [connection.connection_id],
    );
    await waitUntil(async () => {
      const [row] = await scene.service.sql('SELECT collection_id, status FROM connection WHERE connection_id = $1', [
        connection.connection_id,
      ]);
      collectionIds.add(String(row!['collection_id']));
      return row?.['status'] === 'revoked';
    });
    expect(collectionIds.size).toBe(1);
    expect((await scene.connections())[0]?.consent).toMatchObject({ ended_by: 'expiry' });
    const audited = scene.service.events.filter(
      ({ kind, subject }) => kind === 'consent.ended' && subject === scene.person.serviceUserId,
    );
    expect(audited.map(({ entities }) => entities?.[0]?.query)).toEqual(['expiry']);
    const events = await scene.service.sql('SELECT type, body FROM webhook_event WHERE connection_id = $1', [
      connection.connection_id,
    ]);
    expect(events.map(({ type }) => type)).toEqual(['connection.revoked']);
    expect(JSON.parse(String(events[0]?.['body']))).toMatchObject({ data: { revoked_by: 'expiry' } });
  });

  it('leaves the consents alone whose time has not run out', async () => {
    const connection = await connected();
    const other = await scene.open();
    await connect(scene.service, scene.person, other);
    await scene.service.sql(
      `UPDATE consent_receipt SET expires_at = now() + interval '1 hour' WHERE connection_id = $1`,
      [connection.connection_id],
    );
    const second = (await scene.connections()).find(({ connection_id }) => connection_id !== connection.connection_id);
    await scene.service.sql(expire, [second?.connection_id]);
    await waitUntil(async () => (await scene.connections()).some(({ status }) => status === 'revoked'));
    expect(
      (await scene.connections()).find(({ connection_id }) => connection_id === connection.connection_id)?.status,
    ).toBe('collecting');
  });
});
