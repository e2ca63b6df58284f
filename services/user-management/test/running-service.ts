import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewAuditEvent } from '@tributary/audit-log';
import { type RunningService, ServiceRuntime, createLog, readConfig } from '@tributary/service-kit';
import { type DatabaseTemplate, FakeAuth, createDatabase, testRedis, waitUntil } from '@tributary/test-environment';
import type { Express } from 'express';
import pg from 'pg';
import type { Logger } from 'pino';
import { config, vaultConfig } from '../src/config';
import { openServiceDatabase } from '../src/database/open-database';
import { start } from '../src/app';
import { FakeDirectory } from './fake-directory';
import { FakeFhirStore } from './fake-fhir-store';

const serviceKeys = {
  'ingestion-worker': 'worker-key-0123456789',
  'analytics-export': 'export-key-0123456789',
  console: 'console-key-0123456789',
};

/** The `Authorization` header of a service that calls the internal API. */
export function credentialsOf(service: keyof typeof serviceKeys): string {
  return `Basic ${Buffer.from(`${service}:${serviceKeys[service]}`).toString('base64')}`;
}
const exchangeRetryMs = 50;

export interface RunningForTest {
  app: Express;
  internal: Express;
  auth: FakeAuth;
  records: FakeFhirStore;
  directory: FakeDirectory;
  environment: Record<string, string>;
  /** What was recorded in the audit log. */
  events: NewAuditEvent[];
  /** Queries the tables of the service. */
  sql(statement: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Starts another replica on the same database. */
  replica(): Promise<{ app: Express; internal: Express }>;
  stop(): Promise<void>;
}

const template: DatabaseTemplate = {
  name: 'user_management',
  migrate: async (url) => {
    const folder = newKeyFolder();
    const { database } = await openServiceDatabase(
      readConfig(vaultConfig, {
        DATABASE_URL: url,
        KEY_ENCRYPTION_KEY_FILE: join(folder, 'kek'),
        SANDBOX_MODE: 'true',
      }),
    );
    await database.destroy();
    rmSync(folder, { recursive: true });
  },
};

/** A folder with a key-encryption key in the file `kek`. */
function newKeyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'user-management-'));
  writeFileSync(join(folder, 'kek'), randomBytes(32).toString('base64'));
  return folder;
}

/**
 * Starts the service on a new database, with fakes of the services that it calls.
 * @param settings variables; with SANDBOX_MODE=false the fakes are still reached over plain HTTP
 */
export async function runForTest(
  { SANDBOX_MODE = 'true', ...settings }: Record<string, string> = {},
  log: Logger = createLog('test', 'silent'),
): Promise<RunningForTest> {
  const [database, auth, records, directory] = await Promise.all([
    createDatabase(template),
    FakeAuth.start(),
    FakeFhirStore.listen(),
    FakeDirectory.listen(),
  ]);
  const folder = newKeyFolder();
  const environment = {
    LOG_LEVEL: 'silent',
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_URL: database.url,
    KEY_ENCRYPTION_KEY_FILE: join(folder, 'kek'),
    REDIS_URL: testRedis().url,
    SERVICE_KEY: 'own-key-0123456789abc',
    SERVICE_KEYS: JSON.stringify(serviceKeys),
    BASE_URL: 'http://tributary.test',
    AUTH_URL: 'http://auth.tributary.test',
    AUTH_INTERNAL_URL: auth.url,
    SEARCH_INTERNAL_URL: directory.listening.url,
    FHIR_STORE_INTERNAL_URL: records.listening.url,
    SANDBOX_MODE: 'true',
    SWEEP_EVERY_SECONDS: '3600',
    DELIVER_WEBHOOKS_EVERY_SECONDS: '3600',
    ...settings,
    // All tests come from one address.
    RATE_LIMITS: `connect-address=100000/60,failed-address=off,refresh-connection=1000/3600,${settings['RATE_LIMITS'] ?? ''}`,
  };
  const events: NewAuditEvent[] = [];
  const begin = async (): Promise<RunningService> => {
    const runtime = await ServiceRuntime.open({ name: 'user-management', serviceKey: environment.SERVICE_KEY }, log);
    const record = (event: NewAuditEvent): Promise<string> => Promise.resolve(`event ${events.push(event)}`);
    Object.assign(runtime.audit, { keepsNothing: undefined, record });
    const service = await start(
      { ...readConfig(config, environment), SANDBOX_MODE: SANDBOX_MODE === 'true' },
      runtime,
      exchangeRetryMs,
    );
    for (const check of Object.values(service.ready))
      await waitUntil(() =>
        check().then(
          () => true,
          () => false,
        ),
      );
    return service;
  };
  const running = [await begin()];
  const pool = new pg.Pool({ connectionString: database.url, max: 2, options: '-c search_path=user_management' });
  const apps = (service: RunningService | undefined): { app: Express; internal: Express } => {
    if (!service?.publicApp || !service.internalApp) throw new Error('the service has no APIs');
    return { app: service.publicApp, internal: service.internalApp };
  };
  return {
    ...apps(running[0]),
    auth,
    records: records.records,
    directory: directory.directory,
    environment,
    events,
    sql: async (statement, values) => (await pool.query(statement, values)).rows as Record<string, unknown>[],
    replica: async () => {
      const another = await begin();
      running.push(another);
      return apps(another);
    },
    stop: async () => {
      await pool.end();
      await Promise.all(running.map((service) => service.stop()));
      await Promise.all([auth.stop(), records.listening.close(), directory.listening.close()]);
      await database.drop();
      rmSync(folder, { recursive: true });
    },
  };
}
