import type { ConsentSummary } from '@tributary/contracts';
import { readConfig } from '@tributary/service-kit';
import request, { type Response } from 'supertest';
import { admin, connect, newPerson, refreshIsDue } from '../../test/connect-flow';
import { connectionScene } from '../../test/connection-scene';
import { vaultConfig } from '../config';
import { openServiceDatabase } from '../database/open-database';
import { deleteOldConsents } from './retained-consents';

const dayMs = 24 * 3600_000;

describe('consent receipts', () => {
  const scene = connectionScene();
  const { accessToken, connected, own } = scene;

  const consent = async (): Promise<ConsentSummary | undefined> => (await scene.connections())[0]?.consent;
  const receiptOf = (connectionId: string, token?: string): Promise<Response> =>
    own('get', `/${connectionId}/consent`, token);

  /** The audit events of the consents to a connection: their kind, and what has ended the consent. */
  const changes = (connectionId: string): (string | undefined)[][] =>
    scene.service.events.flatMap(({ kind, entities = [] }) =>
      kind.startsWith('consent.') && entities[1]?.id === connectionId ? [[kind, entities[0]?.query]] : [],
    );

  /** Connects the person at a second health system. @returns the id of that connection */
  const connectedBeside = async (first: string): Promise<string> => {
    await connect(scene.service, scene.person, await scene.open());
    return (await scene.connections()).find((entry) => entry.connection_id !== first)!.connection_id;
  };

  const deleteUser = async (): Promise<void> => {
    await request(scene.service.app)
      .delete('/user-management/v1/user')
      .set(scene.person.clientHeaders)
      .send({ service_user_id: scene.person.serviceUserId });
  };

  it('hold what the user agreed to, when, and until when', async () => {
    scene.service.auth.clients.get(scene.person.clientId)!.consent_days = 30;
    scene.at.system.behaviour.grantedScope = 'launch/patient patient/Observation.read';
    const before = Date.now();
    const { connection_id } = await connected();
    const summary = await consent();
    expect(summary).toEqual({
      receipt_id: expect.any(String),
      client_id: scene.person.clientId,
      given_at: expect.any(String),
      expires_at: expect.any(String),
      types: null,
      scopes_requested: ['launch/patient', 'openid', 'fhirUser', 'offline_access', 'patient/*.read'],
      scopes_granted: ['launch/patient', 'patient/Observation.read'],
    });
    const { client_id, ...agreed } = summary!;
    expect(Date.parse(agreed.expires_at ?? '') - Date.parse(agreed.given_at)).toBe(30 * dayMs);
    expect(Math.abs(Date.parse(agreed.given_at) - before)).toBeLessThan(600_000);
    const response = await receiptOf(connection_id);
    expect([response.status, response.body]).toEqual([
      200,
      {
        success: true,
        connection_id,
        client: { client_id, name: 'A client', mode: 'test' },
        health_system: { id: scene.at.id, name: expect.any(String) },
        fhirVersion: 'r4',
        fhir_base_url: scene.at.system.endpoint('r4').fhir_base_url,
        ...agreed,
        earlier: [],
      },
    ]);
  });

  it('have no end unless the client asks for one', async () => {
    await scene.connect();
    expect(await consent()).toMatchObject({ expires_at: null });
  });

  it.each([
    [900, 900],
    [undefined, 3600],
    [10_000_000, 86_400],
  ])('end with the access token of %p seconds where the client collects once', async (expiresIn, seconds) => {
    scene.service.auth.clients.get(scene.person.clientId)!.consent_days = 0;
    scene.at.system.behaviour.expiresIn = expiresIn;
    scene.at.system.behaviour.refresh = 'never';
    await scene.connect();
    const { given_at, expires_at } = (await consent())!;
    expect(Date.parse(expires_at ?? '') - Date.parse(given_at)).toBe(seconds * 1000);
    expect(scene.at.system.authorizations[0]?.['scope']).toBe('launch/patient openid fhirUser patient/*.read');
  });

  it('are one per connection', async () => {
    const several = await scene.open(['dstu2', 'r4']);
    await connect(scene.service, scene.person, several);
    const entries = await scene.connections();
    expect(new Set(entries.map(({ consent: each }) => each?.receipt_id)).size).toBe(2);
    const receipts = await Promise.all(
      entries.map(async ({ connection_id }) => (await receiptOf(connection_id)).body as { fhirVersion: string }),
    );
    expect(receipts.map(({ fhirVersion }) => fhirVersion)).toEqual(entries.map(({ fhirVersion }) => fhirVersion));
  });

  it('are kept when the user connects again: the earlier ones are replaced', async () => {
    const ids: (string | undefined)[] = [];
    for (let connects = 0; connects < 3; connects++) {
      await scene.connect();
      ids.unshift((await consent())?.receipt_id);
    }
    const [entry] = await scene.connections();
    expect(entry?.consent).not.toHaveProperty('ended_at');
    const { body } = await receiptOf(entry!.connection_id);
    expect(body).toMatchObject({
      receipt_id: ids[0],
      earlier: [
        { receipt_id: ids[1], ended_by: 'replaced' },
        { receipt_id: ids[2], ended_by: 'replaced', ended_at: expect.any(String) },
      ],
    });
  });

  it('are replaced one by the other when two browsers of the user return at once', async () => {
    await Promise.all([scene.connect(), scene.connect(), scene.connect()]);
    const receipts = await scene.service.sql(
      `SELECT r.ended_by, r.receipt_id = c.consent_receipt_id AS is_last
       FROM consent_receipt r JOIN connection c USING (connection_id) WHERE service_user_id = $1 ORDER BY is_last`,
      [scene.person.serviceUserId],
    );
    expect(receipts).toEqual([
      { ended_by: 'replaced', is_last: false },
      { ended_by: 'replaced', is_last: false },
      { ended_by: null, is_last: true },
    ]);
  });

  it.each([
    ['user', 'user'],
    ['client', 'client'],
  ])('end when the %s disconnects', async (by, endedBy) => {
    const { connection_id } = await connected();
    if (by === 'user') await own('delete', `/${connection_id}`);
    else
      await request(scene.service.app)
        .delete(`/connect/v1/connections/${connection_id}`)
        .query({ service_user_id: scene.person.serviceUserId })
        .set(scene.person.clientHeaders);
    const ended = await consent();
    expect(ended).toMatchObject({ ended_by: endedBy, ended_at: expect.any(String) });
    await own('delete', `/${connection_id}`);
    expect(await consent()).toEqual(ended);
  });

  it('end when the health system no longer accepts the grant', async () => {
    const { connection_id } = await connected();
    const { token_id } = (await accessToken(connection_id)).body as { token_id: string };
    scene.at.system.liveRefreshToken = 'revoked at the health system';
    await refreshIsDue(scene.service, scene.person);
    const refused = await accessToken(connection_id, token_id);
    expect([refused.status, refused.body]).toMatchObject([409, { error_code: 'needs_reauthorization' }]);
    expect((await scene.connections())[0]).toMatchObject({
      status: 'needs_reauthorization',
      consent: { ended_by: 'health_system', ended_at: expect.any(String) },
    });
  });

  it('are found by their user and client only', async () => {
    const { connection_id } = await connected();
    const stranger = await newPerson(scene.service);
    const byStranger = await receiptOf(connection_id, stranger.token);
    expect([byStranger.status, byStranger.body]).toMatchObject([404, { error_code: 'connection_not_found' }]);
    const byClient = await request(scene.service.app)
      .get(`/connect/v1/connections/${connection_id}/consent`)
      .query({ service_user_id: scene.person.serviceUserId })
      .set(scene.person.clientHeaders);
    expect(byClient.body).toMatchObject({ connection_id });
    const byOther = await request(scene.service.app)
      .get(`/connect/v1/connections/${connection_id}/consent`)
      .query({ service_user_id: scene.person.serviceUserId })
      .set(stranger.clientHeaders);
    expect(byOther.status).toBe(404);
  });

  it('have an audit event for each change that is committed, also when the audit log is not available', async () => {
    const { events } = scene.service;
    const push = events.push.bind(events);
    const refuse = (refused: string): void => {
      events.push = (...added) => {
        if (added.some(({ kind }) => kind === refused)) throw new Error('the audit log is not available');
        return push(...added);
      };
    };
    try {
      refuse('consent.given');
      const { connection_id } = await connected();
      expect(changes(connection_id)).toEqual([]);
      events.push = push;
      await own('delete', `/${connection_id}`);
      expect(changes(connection_id)).toEqual([
        ['consent.given', undefined],
        ['consent.ended', 'user'],
      ]);
    } finally {
      events.push = push;
    }
  });

  it('have no audit event for a change that is rolled back', async () => {
    const { connection_id } = await connected();
    const { serviceUserId } = scene.person;
    await scene.service.sql(`
      CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF OLD.service_user_id = ${serviceUserId} THEN RAISE EXCEPTION 'outage'; END IF;
        RETURN OLD;
      END $$;
      CREATE TRIGGER refuse_deletion BEFORE DELETE ON health_system_grant FOR EACH ROW EXECUTE FUNCTION refuse_deletion()`);
    expect((await own('delete', `/${connection_id}`)).status).toBe(500);
    await scene.service.sql('DROP TRIGGER refuse_deletion ON health_system_grant');
    expect(await consent()).not.toHaveProperty('ended_at');
    expect(changes(connection_id)).toEqual([['consent.given', undefined]]);
    await own('delete', `/${connection_id}`);
    expect(changes(connection_id).at(-1)).toEqual(['consent.ended', 'user']);
  });

  it('have an audit event when their user is deleted, unless they have ended before', async () => {
    const { connection_id } = await connected();
    const ended = await connectedBeside(connection_id);
    await own('delete', `/${ended}`);
    await deleteUser();
    expect([changes(connection_id).at(-1), changes(ended).at(-1)]).toEqual([
      ['consent.ended', 'deletion'],
      ['consent.ended', 'user'],
    ]);
    expect(changes(ended)).toHaveLength(2);
    expect(await scene.service.sql('SELECT FROM consent_event')).toEqual([]);
  });

  it('are sealed, and kept for six years when their user is deleted', async () => {
    scene.at.system.behaviour.grantedScope = 'patient/Observation.read patient/Goal.read';
    await scene.connect();
    const { receipt_id } = (await consent())!;
    const rows = (): Promise<Record<string, unknown>[]> =>
      scene.service.sql('SELECT * FROM consent_receipt WHERE receipt_id = $1', [receipt_id]);
    const [row] = await rows();
    const stored = JSON.stringify(row) + (row!['content_sealed'] as Buffer).toString('latin1');
    for (const value of ['A client', 'patient/Goal.read', scene.person.clientId, scene.at.system.url])
      expect(stored).not.toContain(value);
    await connectedBeside('');
    await deleteUser();
    expect(await rows()).toEqual([]);

    const { serviceUserId, clientId } = scene.person;
    const retained = async (): Promise<unknown> =>
      JSON.parse(await admin(scene.service, 'consent', 'retained', '--service-user-id', String(serviceUserId)));
    expect(await retained()).toMatchObject({
      entry: [
        {
          receipt_id,
          client_id: clientId,
          given_at: (row!['given_at'] as Date).toISOString(),
          ended_by: 'deletion',
          content: {
            client: { name: 'A client' },
            health_system: { id: scene.at.id },
            scopes_granted: ['patient/Observation.read', 'patient/Goal.read'],
          },
        },
        { client_id: clientId },
      ],
    });
    const kept = await scene.service.sql('SELECT retained_consent::text FROM retained_consent', []);
    expect(JSON.stringify(kept)).not.toContain('Goal.read');

    const { database } = await openServiceDatabase(readConfig(vaultConfig, scene.service.environment));
    const age = (interval: string): Promise<unknown> =>
      scene.service.sql(`UPDATE retained_consent SET ended_at = now() - interval '${interval}' WHERE receipt_id = $1`, [
        receipt_id,
      ]);
    await age('6 years');
    await deleteOldConsents(database);
    expect(await retained()).toMatchObject({ entry: [expect.anything(), expect.anything()] });
    await age('2197 days');
    await deleteOldConsents(database);
    await database.destroy();
    expect(await retained()).toMatchObject({ entry: [expect.not.objectContaining({ receipt_id })] });
  });

  it('that cannot be opened do not keep their user from being deleted', async () => {
    await connected();
    const { receipt_id } = (await consent())!;
    await scene.service.sql(`UPDATE consent_receipt SET content_sealed = 'x' WHERE receipt_id = $1`, [receipt_id]);
    await deleteUser();
    const words = ['consent', 'retained', '--service-user-id', String(scene.person.serviceUserId)];
    expect(JSON.parse(await admin(scene.service, ...words))).toEqual({
      entry: [
        {
          receipt_id,
          client_id: scene.person.clientId,
          given_at: expect.any(String),
          expires_at: null,
          ended_at: expect.any(String),
          ended_by: 'deletion',
        },
      ],
    });
  });
});
