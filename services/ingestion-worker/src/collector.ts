import { ConnectionsClient, RecordsClient, type RetryPolicy } from '@tributary/contracts';
import { type KeyEncryptionKeyConfig, type ManagedKek, openKeyEncryptionKey } from '@tributary/key-providers';
import { type RunSql, ScopedKeys } from '@tributary/key-vault';
import {
  type RedisClient,
  type DatabaseConfig,
  type RedisConfig,
  type ServiceRuntime,
  openDatabase,
  openRedis,
  untilReady,
} from '@tributary/service-kit';
import { Semaphore } from 'async-mutex';
import type { DataSource } from 'typeorm';
import { Attempts } from './checkpoints/attempts';
import { Checkpoints } from './checkpoints/checkpoints';
import { CompletedCollections } from './checkpoints/completed-collections';
import { migrations } from './checkpoints/migrations';
import { collectionCheckpointEntity, collectionEntity } from './checkpoints/tables';
import type { CollectionDependencies } from './collection/collect';
import { databaseSchema, wrappingKeyTable } from './config';
import { HostLeaseStore } from './health-system/host-lease-store';
import { HostRequestLimiter, type RequestCaps } from './health-system/host-request-limiter';
import { healthSystemHttp } from './health-system/http';
import { ResponseMemoryBudget } from './health-system/response-memory-budget';
import type { HealthSystemRetryPolicy } from './health-system/retry-policy';

/** The settings of a process that collects. */
export interface CollectorSettings {
  /** The configuration of the database, or its URL. */
  database: DatabaseConfig | string;
  redis: RedisConfig;
  keyEncryptionKey: KeyEncryptionKeyConfig;
  userManagementUrl: string;
  fhirStoreUrl: string;
  allowPrivateAddresses: boolean;
  caps: RequestCaps;
  responseMemoryBytes: number;
  /** Larger attachments are not collected. */
  maxAttachmentBytes: number;
  fullCollectionDays: number;
  /** How many attachments a process transfers at once. */
  concurrentAttachments: number;
  retryPolicy: HealthSystemRetryPolicy;
  internalRetryPolicy: RetryPolicy;
  /** The shortest time between two progress reports of a collection, in milliseconds. */
  reportIntervalMs: number;
}

export interface Collector extends CollectionDependencies {
  attempts: Attempts;
  database: DataSource;
  /** Commands fail soon while Redis is unavailable. */
  redis: RedisClient;
  keys: ScopedKeys;
  kek: ManagedKek;
  close(): Promise<void>;
}

/**
 * Opens what a process needs to collect: the worker itself, and the process of an isolated collection.
 * @throws when PostgreSQL is unavailable
 */
export async function openCollector(settings: CollectorSettings, runtime: ServiceRuntime): Promise<Collector> {
  const entities = [collectionEntity, collectionCheckpointEntity];
  const database = await openDatabase({ database: settings.database, schema: databaseSchema, entities, migrations });
  const run: RunSql = (sql, values) => database.query(sql, values);
  const kek = await openKeyEncryptionKey(settings.keyEncryptionKey, { run, table: wrappingKeyTable, log: runtime.log });
  const keys = new ScopedKeys({ run, kek });
  await keys.assertKekMatches();
  const redis = openRedis(settings.redis, runtime.log);
  await untilReady(redis).catch(() => undefined);
  const checkpoints = new Checkpoints(database, keys);
  const limiter = new HostRequestLimiter(settings.caps, new HostLeaseStore(redis));
  return {
    database,
    redis,
    keys,
    kek,
    connections: new ConnectionsClient(runtime.internalHttp('user-management', settings.userManagementUrl)),
    records: new RecordsClient(runtime.internalHttp('fhir-store', settings.fhirStoreUrl)),
    attempts: new Attempts(database),
    checkpoints,
    completed: new CompletedCollections(database, checkpoints),
    http: healthSystemHttp(settings.allowPrivateAddresses),
    limiter,
    responseMemory: new ResponseMemoryBudget(settings.responseMemoryBytes),
    attachments: {
      maxBytes: settings.maxAttachmentBytes,
      semaphore: new Semaphore(settings.concurrentAttachments),
    },
    fullCollectionDays: settings.fullCollectionDays,
    retryPolicy: settings.retryPolicy,
    internalRetryPolicy: settings.internalRetryPolicy,
    reportIntervalMs: settings.reportIntervalMs,
    close: async () => {
      await limiter.close();
      redis.disconnect();
      await database.destroy();
    },
  };
}
