import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalKeyEncryptionKey, scopedKeysMigration } from '@tributary/key-vault';
import { databaseConfig, openDatabase } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import { Connect1763700000003 } from './connect-migration';
import { openServiceDatabase } from './open-service-database';
import { Users1763700000001 } from './users-migration';
import { Webhooks1763700000004 } from './webhooks-migration';

const firstRelease = [
  Users1763700000001,
  scopedKeysMigration(1763700000002),
  Connect1763700000003,
  Webhooks1763700000004,
];

describe('an upgrade from the first release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  const keyFile = join(folder, 'kek');
  writeFileSync(keyFile, randomBytes(32).toString('base64'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('keeps what is there, takes up what was given up, and can be undone', async () => {
    const database = await createDatabase();
    const kek = await LocalKeyEncryptionKey.fromFile(keyFile);
    const before = await openDatabase({
      database: database.url,
      schema: 'user_management',
      entities: [],
      migrations: firstRelease,
    });
    const [grantId, connectionId, endpointId, eventId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    for (const [id, state] of [
      [1, 'active'],
      [2, 'inactive'],
      [3, 'active'],
      [4, 'deleting'],
    ] as const) {
      const identified = state === 'deleting' ? null : Buffer.from(`user ${id}`);
      await before.query(
        'INSERT INTO service_user (service_user_id, client_id, state, app_user_id_sealed, app_user_id_blind) VALUES ($1, $2, $3, $4, $4)',
        [id, id === 3 ? 'other' : 'one', state, identified],
      );
    }
    for (const scope of ['client-one', 'registrations', 'user-1', 'user-4', 'user-99'])
      await before.query('INSERT INTO data_key (scope, wrapped) VALUES ($1, $2)', [
        scope,
        await kek.wrap(randomBytes(32), `scope ${scope}`),
      ]);
    await before.query(
      `INSERT INTO health_system_grant (grant_id, service_user_id, fhir_base_url, token_endpoint, client_authentication, tokens_sealed, token_id, obtained_at, scope)
       VALUES ($1, 1, 'https://fhir.example.org', 'https://fhir.example.org/token', 'none', 'x', gen_random_uuid(), now(), '')`,
      [grantId],
    );
    const connection = `INSERT INTO connection (connection_id, service_user_id, client_id, health_system_id, health_system_name, fhir_version, fhir_base_url, patient_sealed, patient_blind, grant_id, status, collection_id)`;
    // Given up because the health system did not know our client: the tokens are still there.
    await before.query(
      `${connection} VALUES ($1, 1, 'one', 7, 'A', 'r4', 'https://fhir.example.org', 'x', 'x', $2, 'needs_reauthorization', gen_random_uuid())`,
      [connectionId, grantId],
    );
    await before.query(
      `${connection} VALUES (gen_random_uuid(), 1, 'one', 8, 'B', 'r4', 'https://fhir.example.org', 'x', 'x', NULL, 'needs_reauthorization', gen_random_uuid())`,
    );
    await before.query(
      `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, secret_sealed) VALUES ($1, 'one', 'https://client.example', 'x'), (gen_random_uuid(), 'one', 'https://client.example', 'x')`,
      [endpointId],
    );
    await before.query(
      'INSERT INTO webhook_delivery (endpoint_id, event_id, service_user_id, body) VALUES ($1, $2, 1, $3)',
      [endpointId, eventId, JSON.stringify({ data: { connection_id: connectionId } })],
    );
    await before.destroy();

    const config = { ...databaseConfig.parse({ DATABASE_URL: database.url }), KEY_ENCRYPTION_KEY_FILE: keyFile };
    const { source } = await openServiceDatabase(config);
    expect(await source.query('SELECT scope FROM data_key ORDER BY scope')).toEqual(
      ['client-one', 'registrations', 'user-1', 'user-4'].map((scope) => ({ scope })),
    );
    expect(await source.query('SELECT client_id, users::int FROM client_user_count ORDER BY client_id')).toEqual([
      { client_id: 'one', users: 2 },
      { client_id: 'other', users: 1 },
    ]);
    expect(await source.query('SELECT health_system_id::int AS id, status FROM connection ORDER BY 1')).toEqual([
      { id: 7, status: 'collecting' },
      { id: 8, status: 'needs_reauthorization' },
    ]);
    expect(await source.query('SELECT endpoint_id FROM webhook_endpoint WHERE next_due_at IS NOT NULL')).toEqual([
      { endpoint_id: endpointId },
    ]);
    expect(await source.query('SELECT event_id, connection_id FROM webhook_delivery')).toEqual([
      { event_id: eventId, connection_id: connectionId },
    ]);
    for (let undone = 0; undone < source.migrations.length - firstRelease.length; undone++)
      await source.undoLastMigration();
    expect(await source.query('SELECT count(*)::int AS migrations FROM migration')).toEqual([
      { migrations: firstRelease.length },
    ]);
    await source.destroy();
    await database.drop();
  });
});
