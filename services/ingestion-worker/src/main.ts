import { ConnectionsClient, InternalHttp, RecordsClient } from '@tributary/contracts';
import { LocalKeyEncryptionKey, ScopedKeys } from '@tributary/key-vault';
import { openDatabase, openRedis, readConfig, runService, untilReady } from '@tributary/service-kit';
import { Turns } from './attachments/attachment-limits';
import { type Config, config, databaseSchema, serviceName } from './config';
import { AnswerBudget } from './health-system/answer-budget';
import { RedisHostLeases } from './health-system/host-leases';
import { HostLimits } from './health-system/host-limits';
import { healthSystemHttp } from './health-system/http';
import { ordinaryPatience } from './health-system/patience';
import { ordinaryOwnPatience } from './own-services/patiently';
import { migrations } from './positions/migrations';
import { collectionEntity, positionEntity } from './positions/position';
import { Positions } from './positions/positions';
import { CollectionConsumer, ordinaryQueueTimes } from './queue/collection-consumer';

/** Each takes several times its size in memory while it is on its way. */
const attachmentsAtOnce = 4;

void runService<Config>({
  name: serviceName,
  readConfig: () => readConfig(config),
  start: async (settings, log) => {
    const database = await openDatabase({ database: settings, schema: databaseSchema, entities: [collectionEntity, positionEntity], migrations });
    const kek = await LocalKeyEncryptionKey.fromFile(settings.KEY_ENCRYPTION_KEY_FILE);
    const keys = new ScopedKeys({ run: (sql, values) => database.query(sql, values), kek });
    await keys.assertKeysFit();
    const internal = (service: string, baseUrl: string): InternalHttp => new InternalHttp({ service, baseUrl, caller: serviceName, key: settings.SERVICE_KEY });
    const redis = openRedis(settings.REDIS_URL, log);
    await untilReady(redis).catch(() => undefined);
    const limits = new HostLimits({ perHost: settings.REQUESTS_PER_HOST, overall: settings.REQUESTS_AT_ONCE }, new RedisHostLeases(redis));
    const consumer = new CollectionConsumer({
      connections: new ConnectionsClient(internal('user-management', settings.USER_MANAGEMENT_INTERNAL_URL)),
      records: new RecordsClient(internal('fhir-store', settings.FHIR_STORE_INTERNAL_URL)),
      positions: new Positions(database, keys),
      http: healthSystemHttp(settings.SANDBOX_MODE),
      limits,
      answers: new AnswerBudget(settings.ANSWER_MEGABYTES * 1_000_000),
      attachments: { mostBytes: settings.ATTACHMENT_MEGABYTES * 1_000_000, turns: new Turns(attachmentsAtOnce) },
      patience: ordinaryPatience,
      ownPatience: ordinaryOwnPatience,
      times: ordinaryQueueTimes,
      redisUrl: settings.REDIS_URL,
      concurrency: settings.COLLECTIONS_AT_ONCE,
      log,
    });
    return {
      ready: { database: () => database.query('select 1'), queue: () => consumer.check() },
      stop: async () => {
        await consumer.close();
        await limits.close();
        redis.disconnect();
        await database.destroy();
      },
    };
  },
});
