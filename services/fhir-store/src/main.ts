import type { RequestListener } from 'node:http';
import { AuthClient } from '@tributary/contracts';
import { KeysStatusReader } from '@tributary/key-providers';
import { objectStorageFrom } from '@tributary/object-storage';
import {
  AccessTokens,
  FailedTokens,
  RateLimits,
  type RunningService,
  type ServiceRuntime,
  openPool,
  openRedis,
  openRedisSubscriber,
  readConfig,
  runService,
} from '@tributary/service-kit';
import { createApps } from './app';
import { type FhirStoreConfig, fhirStoreConfig } from './config';
import { fhirStoreSchema, migrateFhirStore } from './database/migrate';
import { clientKeysOf, openStorage } from './database/open-storage';
import { reportPartitions } from './database/partitions';
import { checkAfterRestore } from './deletions/finish-destructions';
import { fhirLimits } from './endpoint/fhir-limits';
import { LongWorkThread } from './long-work/long-work-thread';

/**
 * The content of a Binary of 200 MB over a line of 3 Mbit/s; an attachment is passed on as slowly as a health system
 * sends it.
 */
const requestTimeoutMs = { public: 600_000, internal: 3_600_000 };

async function start(config: FhirStoreConfig, runtime: ServiceRuntime): Promise<RunningService<RequestListener>> {
  const { log } = runtime;
  await migrateFhirStore(config, { partitions: config.RECORD_PARTITIONS, exportRole: config.EXPORT_ROLE });
  const pool = openPool(config, fhirStoreSchema, { log });
  const { storage, kek } = await openStorage(config, pool, { log, objects: await objectStorageFrom(config, log) });
  await reportPartitions(pool, config.RECORD_PARTITIONS, log);
  const subscriber = openRedisSubscriber(config, log);
  const redis = openRedis(config, log);
  const limits = new RateLimits(redis, config.RATE_LIMITS);
  const auth = new AuthClient(runtime.internalHttp('auth', config.AUTH_INTERNAL_URL));
  await checkAfterRestore(storage, log);
  const thread = new LongWorkThread({ log });
  thread.start();
  return {
    ...createApps({
      storage,
      thread,
      pool,
      tokens: new AccessTokens(auth, subscriber, new FailedTokens(limits, config.TRUSTED_PROXIES)),
      limits: fhirLimits(limits, config),
      pageTokenKey: config.PAGE_TOKEN_KEY,
      baseUrl: config.BASE_URL,
      authUrl: config.AUTH_URL,
      serviceKeys: config.SERVICE_KEYS,
      keysStatus: new KeysStatusReader(kek, clientKeysOf(storage)),
      audit: runtime.audit,
      trustedProxies: config.TRUSTED_PROXIES,
      log,
    }),
    requestTimeoutMs,
    ready: { database: () => pool.query('SELECT 1') },
    stop: async () => {
      subscriber.disconnect();
      redis.disconnect();
      await thread.stop();
      await storage.close();
      await pool.end();
    },
  };
}

void runService({ name: 'fhir-store', readConfig: () => readConfig(fhirStoreConfig), start });
