import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditTrail, NewAuditEvent } from '@tributary/audit-log';
import { AuthClient, InternalHttp, RecordsClient } from '@tributary/contracts';
import { KeysStatusReader } from '@tributary/key-providers';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import type { RunningObjectStorage } from '@tributary/local-databases';
import { openObjectStorage } from '@tributary/object-storage';
import { RecordStorage } from '@tributary/record-storage';
import {
  AccessTokens,
  type DatabaseConfig,
  FailedTokens,
  RateLimits,
  createLog,
  openPool,
  openRedis,
  untilReady,
  ServiceKeys,
} from '@tributary/service-kit';
import {
  type DatabaseTemplate,
  FakeAuth,
  type TestDatabase,
  createDatabase,
  testRedis,
} from '@tributary/test-environment';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createApps } from '../src/app';
import { fhirStoreConfig } from '../src/config';
import { fhirLimits } from '../src/endpoint/fhir-limits';
import { type ContentLimits, defaultContentLimits } from '../src/fhir-http/limits';
import { deleteUnresolvedReferences } from '../src/collection/unresolved-references';
import { fhirStoreSchema, migrateFhirStore } from '../src/database/migrate';
import { clientKeysOf } from '../src/database/open-storage';
import { LongWorkThread } from '../src/long-work/long-work-thread';
import { RecordOverHttp, baseUrl } from './record-over-http';

export const callingService = { name: 'ingestion-worker', key: 'key of the ingestion worker' };
/** The service that destroys records. */
const destroyingService = { name: 'user-management', key: 'key of user management' };
/** The service that shows operators the status of keys. */
export const operatingService = { name: 'console', key: 'key of the console' };
const serviceKeys = Object.fromEntries(
  [callingService, destroyingService, operatingService].map(({ name, key }) => [name, key]),
);
export { baseUrl };

let nextUserId = 1;

export interface UnderTestOptions {
  partitions?: number;
  links?: 'own';
  database?: TestDatabase;
  keyEncryptionKey?: Buffer;
  /** How `database` is reached, when not by its own URL. */
  databaseConfig?: DatabaseConfig;
  /** RATE_LIMITS and LIMIT_FHIR_CONCURRENT (many by default). */
  limits?: { rates?: string; concurrent?: number };
  contentLimits?: Partial<ContentLimits>;
  /** Whether requests that can take long are carried out in a thread, as in the service. */
  thread?: boolean;
  /** Where large content is kept. */
  objectStorage?: RunningObjectStorage;
  /** By default that of the run. */
  redisUrl?: string;
}

/** The whole service on a database of its own, with a stand-in for auth. */
export class FhirStoreUnderTest {
  /** What the audit log has recorded, what it has recorded as refused, and what it has counted. */
  readonly events: NewAuditEvent[] = [];
  readonly refused: NewAuditEvent[] = [];
  readonly counted: NewAuditEvent[] = [];
  /** Replaces the audit trail while it is set. */
  trail: Partial<AuditTrail> = {};

  private constructor(
    readonly url: string,
    readonly internalUrl: string,
    readonly storage: RecordStorage,
    readonly pool: Pool,
    readonly auth: FakeAuth,
    readonly database: TestDatabase,
    readonly keyEncryptionKey: Buffer,
    private readonly close: () => Promise<void>,
  ) {}

  /**
   * With `links: 'own'` the links of answers lead to this very server, so that any client can follow them. A database
   * that is given, and the key that opens it, are used instead of fresh ones.
   */
  static async start({ partitions = 0, links, ...given }: UnderTestOptions = {}): Promise<FhirStoreUnderTest> {
    const [database, auth] = await Promise.all([
      given.database ?? createDatabase(templateOf(partitions)),
      FakeAuth.start(),
    ]);
    const reached = given.databaseConfig ?? database.url;
    await migrateFhirStore(reached, { partitions });
    const log = createLog('fhir-store', process.env['TEST_LOG_LEVEL'] ?? 'silent');
    const pool = openPool(reached, fhirStoreSchema, { size: 8 });
    pool.on('error', () => undefined);
    const redis = testRedis();
    const subscriber = openRedis(redis.url, log);
    const commands = openRedis(given.redisUrl ?? redis.url, log);
    await untilReady(commands);
    const limitSettings = fhirStoreConfig
      .pick({ RATE_LIMITS: true, LIMIT_FHIR_CONCURRENT: true, TRUSTED_PROXIES: true })
      .parse({
        RATE_LIMITS: given.limits?.rates,
        LIMIT_FHIR_CONCURRENT: given.limits?.concurrent ?? 10_000,
      });
    const limits = new RateLimits(commands, limitSettings.RATE_LIMITS, redis.prefix);
    const keyEncryptionKey = given.keyEncryptionKey ?? randomBytes(32);
    const kek = new LocalKeyEncryptionKey([keyEncryptionKey]);
    const { objectStorage } = given;
    const storage = new RecordStorage({
      pool,
      kek,
      objects: objectStorage && (await openObjectStorage({ ...objectStorage, accessKey: () => objectStorage })),
      deleteDependentRows: (userIds) => deleteUnresolvedReferences(pool, userIds),
    });
    const authClient = new AuthClient(
      new InternalHttp({ service: 'auth', baseUrl: auth.url, caller: 'fhir-store', key: 'key of the fhir store' }),
    );
    const [publicServer, internalServer] = await Promise.all([listen(), listen()]);
    const self = (): FhirStoreUnderTest => store;
    const audit: AuditTrail = {
      record: (event) => self().trail.record?.(event) ?? Promise.resolve(`event ${self().events.push(event)}`),
      recordRefused: (event) => Promise.resolve(void self().refused.push(event)),
      count: (event) => void self().counted.push(event),
    };
    const ownUrl = links === 'own' ? urlOf(publicServer) : baseUrl;
    const thread = given.thread
      ? longWorkThread({ database: database.url, keyEncryptionKey, authUrl: auth.url, ownUrl, objectStorage, log })
      : undefined;
    const apps = createApps({
      storage,
      ...(thread ? { thread } : {}),
      pool,
      tokens: new AccessTokens(authClient, subscriber, new FailedTokens(limits, limitSettings.TRUSTED_PROXIES)),
      limits: fhirLimits(limits, limitSettings),
      contentLimits: { ...defaultContentLimits, ...given.contentLimits },
      pageTokenKey: 'page token key of the test',
      baseUrl: ownUrl,
      authUrl: 'https://auth.example.org',
      serviceKeys: ServiceKeys.of(serviceKeys),
      keysStatus: new KeysStatusReader(
        { versions: () => Promise.resolve(kek.ids.map((id) => ({ id, origin: 'the test', state: 'current' }))) },
        clientKeysOf(storage),
      ),
      audit,
      trustedProxies: limitSettings.TRUSTED_PROXIES,
      log,
    });
    publicServer.on('request', apps.publicApp);
    internalServer.on('request', apps.internalApp);
    const store = new FhirStoreUnderTest(
      urlOf(publicServer),
      urlOf(internalServer),
      storage,
      pool,
      auth,
      database,
      keyEncryptionKey,
      async () => {
        for (const server of [publicServer, internalServer]) {
          server.closeAllConnections();
          server.close();
        }
        await auth.stop();
        subscriber.disconnect();
        commands.disconnect();
        await thread?.stop();
        await storage.close();
        await pool.end();
        await database.drop();
      },
    );
    return store;
  }

  /** A new user and their record, through the API. */
  user(): RecordOverHttp {
    const userId = nextUserId++;
    return new RecordOverHttp(this.url, userId, this.auth.addToken('client', userId));
  }

  /** The client with which ingestion-worker calls. */
  get records(): RecordsClient {
    return this.#recordsFor(callingService);
  }

  /** Destroys a record, as user-management does. */
  destroyRecord(userId: number): Promise<void> {
    return this.#recordsFor(destroyingService).destroy(userId);
  }

  #recordsFor({ name, key }: typeof callingService): RecordsClient {
    return new RecordsClient(new InternalHttp({ service: 'fhir-store', baseUrl: this.internalUrl, caller: name, key }));
  }

  stop(): Promise<void> {
    return this.close();
  }
}

/** The thread reads its configuration from environment variables, and the sources in place of the build. */
function longWorkThread(of: {
  database: string;
  keyEncryptionKey: Buffer;
  authUrl: string;
  ownUrl: string;
  objectStorage: RunningObjectStorage | undefined;
  log: Logger;
}): LongWorkThread {
  const keyFile = join(mkdtempSync(join(tmpdir(), 'fhir-store-')), 'kek');
  writeFileSync(keyFile, of.keyEncryptionKey.toString('base64'), { mode: 0o600 });
  return new LongWorkThread({
    log: of.log,
    worker: {
      execArgv: ['--require', require.resolve('@tributary/test-environment/launch/workspace-sources.js')],
      env: {
        SANDBOX_MODE: 'true',
        LOG_LEVEL: 'silent',
        PORT: '0',
        INTERNAL_PORT: '0',
        DATABASE_URL: of.database,
        REDIS_URL: testRedis().url,
        KEY_ENCRYPTION_KEY_FILE: keyFile,
        SERVICE_KEY: 'key of the fhir store',
        SERVICE_KEYS: JSON.stringify(serviceKeys),
        BASE_URL: of.ownUrl,
        AUTH_URL: of.authUrl,
        AUTH_INTERNAL_URL: of.authUrl,
        PAGE_TOKEN_KEY: 'page token key of the test',
        ...of.objectStorage?.variables,
      },
    },
  });
}

function templateOf(partitions: number): DatabaseTemplate {
  return { name: `fhir_store_${partitions}`, migrate: (url) => migrateFhirStore(url, { partitions }) };
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
