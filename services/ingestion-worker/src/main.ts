import { databaseConfig, readConfig, runService } from '@tributary/service-kit';
import { type CollectorSettings, openCollector } from './collector';
import { type Config, config, serviceName } from './config';
import { ordinaryPatience } from './health-system/patience';
import { ordinaryOwnPatience } from './own-services/patiently';
import { CheckpointSweep } from './positions/checkpoint-sweep';
import { CollectionConsumer, ordinaryQueueTimes } from './queue/collection-consumer';

/** Each takes several times its size in memory while it is on its way. */
const attachmentsAtOnce = 4;
const reportEveryMs = 4000;
/** With the pauses of user-management between them they take some hours. */
const mostFailedAttempts = 10;
const sweepEveryMs = 60_000;

void runService<Config>({
  name: serviceName,
  readConfig: () => readConfig(config),
  start: async (config, log) => {
    const settings = settingsOf(config);
    const collector = await openCollector(settings, log);
    const { source, keys, connections } = collector;
    const sweep = new CheckpointSweep({ database: source, keys, connections, positions: collector.positions, log });
    sweep.every(sweepEveryMs);
    const consumer = new CollectionConsumer({
      ...collector,
      settings,
      mostFailedAttempts,
      times: ordinaryQueueTimes,
      redisUrl: config.REDIS_URL,
      concurrency: config.COLLECTIONS_AT_ONCE,
      log,
    });
    return {
      ready: { database: () => source.query('select 1'), queue: () => consumer.check() },
      stop: async () => {
        await Promise.all([consumer.close(), sweep.stop()]);
        await collector.close();
      },
    };
  },
});

function settingsOf(config: Config): CollectorSettings {
  return {
    database: databaseConfig.parse(config),
    redisUrl: config.REDIS_URL,
    keyFile: config.KEY_ENCRYPTION_KEY_FILE,
    serviceKey: config.SERVICE_KEY,
    userManagementUrl: config.USER_MANAGEMENT_INTERNAL_URL,
    fhirStoreUrl: config.FHIR_STORE_INTERNAL_URL,
    allowPrivateAddresses: config.SANDBOX_MODE,
    caps: { perHost: config.REQUESTS_PER_HOST, overall: config.REQUESTS_AT_ONCE },
    answerBytes: config.ANSWER_MEGABYTES * 1_000_000,
    attachmentBytes: config.ATTACHMENT_MEGABYTES * 1_000_000,
    attachmentsAtOnce,
    patience: ordinaryPatience,
    ownPatience: ordinaryOwnPatience,
    reportEveryMs,
  };
}
