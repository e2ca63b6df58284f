import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InternalHttp, OperatorKeysClient } from '@tributary/contracts';
import { keyEncryptionKeyConfig, openKeyEncryptionKey } from '@tributary/key-providers';
import { type RunSql, ScopedKeys } from '@tributary/key-vault';
import { ServiceKeys, createLog, openDatabase } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import { keyFile } from '../test/worker';
import { migrations } from './checkpoints/migrations';
import { collectionCheckpointEntity, collectionEntity } from './checkpoints/tables';
import { databaseSchema, wrappingKeyTable } from './config';
import { internalApi } from './internal-api';

const [consoleKey, otherKey] = ['key of the console', 'key of user-management'];

it('shows the versions of the key-encryption key, to the console only', async () => {
  const test = await createDatabase();
  const entities = [collectionEntity, collectionCheckpointEntity];
  const database = await openDatabase({ database: test.url, schema: databaseSchema, entities, migrations });
  const run: RunSql = (sql, values) => database.query(sql, values);
  const kek = await openKeyEncryptionKey(keyEncryptionKeyConfig.parse({ KEY_ENCRYPTION_KEY_FILE: keyFile() }), {
    run,
    table: wrappingKeyTable,
  });
  const keys = new ScopedKeys({ run, kek });
  const api = internalApi({
    collector: { kek, keys },
    serviceKeys: ServiceKeys.of({ console: consoleKey, 'user-management': otherKey }),
    log: createLog('ingestion-worker', 'silent'),
  });
  const server = createServer(api.express()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const statusFor = (caller: string, key: string) =>
    new OperatorKeysClient(new InternalHttp({ service: 'ingestion-worker', baseUrl, caller, key })).status();
  try {
    await keys.keyFor('collection 1');
    expect(await statusFor('console', consoleKey)).toEqual({
      versions: [{ id: await kek.currentId(), state: 'current', keys: 1, origin: 'key 1 of the key file' }],
      unknown: [],
      not_noted: 0,
      counted_at: expect.any(String) as string,
    });
    await expect(statusFor('user-management', otherKey)).rejects.toMatchObject({
      status: 403,
      errorCode: 'caller_not_allowed',
    });
    await expect(statusFor('console', otherKey)).rejects.toMatchObject({ status: 401 });
    expect((await fetch(`${baseUrl}/internal/v1/operator/keys`)).status).toBe(401);
  } finally {
    server.closeAllConnections();
    server.close();
    await database.destroy();
    await test.drop();
  }
});
