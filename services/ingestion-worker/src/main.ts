import { keyEncryptionKeyConfig } from '@tributary/key-providers';
import { databaseConfig, readConfig, redisConfig, runService } from '@tributary/service-kit';
import { startApp } from './app';
import type { CollectorSettings } from './collector';
import { type Config, config, serviceName } from './config';
import { healthSystemRetryPolicy } from './health-system/retry-policy';
import { internalApi } from './internal-api';
import { internalRetryPolicy } from './internal-services/internal-outage';
import { defaultQueueTimes } from './queue/collection-consumer';

/** An attachment that is held in memory takes several times its size while it is encoded and stored. */
const concurrentAttachments = 4;
const reportIntervalMs = 4000;
/**
 * A collection fails in this counted attempt. With the delays of user-management between them, the attempts take about
 * five minutes.
 */
const maxFailedAttempts = 6;
const sweepEveryMs = 60_000;

void runService<Config>({
  name: serviceName,
  readConfig: () => readConfig(config),
  start: async (config, runtime) => {
    const app = await startApp(
      {
        settings: settingsOf(config),
        maxFailedAttempts,
        times: defaultQueueTimes,
        concurrency: config.COLLECTIONS_AT_ONCE,
      },
      runtime,
    );
    app.sweep.start(sweepEveryMs);
    return {
      internalApp: internalApi({
        collector: app.collector,
        serviceKeys: config.SERVICE_KEYS,
        log: runtime.log,
      }).express(),
      ready: { database: () => app.collector.database.query('select 1'), queue: () => app.consumer.check() },
      stop: () => app.close(),
    };
  },
});

function settingsOf(config: Config): CollectorSettings {
  return {
    database: databaseConfig.parse(config),
    redis: redisConfig.parse(config),
    keyEncryptionKey: keyEncryptionKeyConfig.parse(config),
    userManagementUrl: config.USER_MANAGEMENT_INTERNAL_URL,
    fhirStoreUrl: config.FHIR_STORE_INTERNAL_URL,
    allowPrivateAddresses: config.SANDBOX_MODE,
    caps: { perHost: config.REQUESTS_PER_HOST, overall: config.REQUESTS_AT_ONCE },
    responseMemoryBytes: config.RESPONSE_MEMORY_MEGABYTES * 1_000_000,
    maxAttachmentBytes: config.ATTACHMENT_MEGABYTES * 1_000_000,
    concurrentAttachments,
    fullCollectionDays: config.FULL_COLLECTION_DAYS,
    retryPolicy: healthSystemRetryPolicy,
    internalRetryPolicy,
    reportIntervalMs,
  };
}
