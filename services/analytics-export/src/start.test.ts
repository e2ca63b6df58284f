import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningService, ServiceRuntime, createLog, readConfig } from '@tributary/service-kit';
import { createDatabase } from '@tributary/test-environment';
import { ExportUnderTest, fill } from '../test/export-under-test';
import { start } from './app';
import { analyticsExportConfig } from './config';

const folder = mkdtempSync(join(tmpdir(), 'analytics-export-start-'));
let test: ExportUnderTest;
beforeAll(async () => {
  test = await ExportUnderTest.start();
});
afterAll(async () => {
  await test?.stop();
  rmSync(folder, { recursive: true });
});

const startWith = async (settings: Record<string, string>): Promise<RunningService> =>
  start(
    readConfig(analyticsExportConfig, { ...test.environment, ...settings }),
    await ServiceRuntime.open(
      { name: 'analytics-export', serviceKey: 'own-key-0123456789abc' },
      createLog('analytics-export', 'silent'),
    ),
  );

it('does not start with a key-encryption key that opens none of the stored keys', async () => {
  await fill(test.newUser().record, 'r4', 'Patient', 1);
  const path = join(folder, 'another-key');
  writeFileSync(path, randomBytes(32).toString('base64'));
  await expect(startWith({ KEY_ENCRYPTION_KEY_FILE: path })).rejects.toThrow(/opens none of the keys/);
  const again = await startWith({});
  await expect(again.ready?.['key-encryption key']?.()).resolves.toBeUndefined();
  await again.stop();
});

it('is ready while the object storage is away', async () => {
  const service = await startWith({
    OBJECT_STORAGE_BUCKET: 'attachments',
    OBJECT_STORAGE_ENDPOINT: 'http://127.0.0.1:1',
    OBJECT_STORAGE_ACCESS_KEY_ID: 'id',
    OBJECT_STORAGE_SECRET_ACCESS_KEY: 'a secret of the test',
  });
  try {
    const checks = Object.values(service.ready ?? {});
    expect(checks.length).toBeGreaterThan(0);
    await Promise.all(checks.map((check) => check()));
  } finally {
    await service.stop();
  }
});

it('starts before fhir-store has created its tables or granted their use, and is not ready then', async () => {
  const database = await createDatabase();
  for (const url of [database.url, undefined]) {
    if (url === undefined) {
      const role = new URL(test.environment['DATABASE_URL'] as string).username;
      await test.pool.query(`REVOKE SELECT ON ALL TABLES IN SCHEMA fhir_store_keys FROM ${role}`);
    }
    const service = await startWith(url === undefined ? {} : { DATABASE_URL: url });
    await expect(service.ready?.['key-encryption key']?.()).rejects.toThrow(/does not exist|permission denied/);
    await service.stop();
  }
  await database.drop();
});
