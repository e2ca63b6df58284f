import { ConnectionsClient, InternalHttp, RecordsClient } from '@tributary/contracts';
import { LocalKeyEncryptionKey, ScopedKeys } from '@tributary/key-vault';
import { type DatabaseConfig, openDatabase, openRedis, untilReady } from '@tributary/service-kit';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { Turns } from './attachments/attachment-limits';
import type { CollectionDependencies } from './collection/collect';
import { databaseSchema, serviceName } from './config';
import { AnswerBudget } from './health-system/answer-budget';
import { RedisHostLeases } from './health-system/host-leases';
import { HostLimits, type RequestCaps } from './health-system/host-limits';
import { healthSystemHttp } from './health-system/http';
import type { Patience } from './health-system/patience';
import type { OwnPatience } from './own-services/patiently';
import { migrations } from './positions/migrations';
import { collectionEntity, positionEntity } from './positions/position';
import { Positions } from './positions/positions';

/** What collecting needs, as plain values that can be sent to another process. */
export interface CollectorSettings {
  /** Its configuration, or its URL alone. */
  database: DatabaseConfig | string;
  redisUrl: string;
  keyFile: string;
  serviceKey: string;
  userManagementUrl: string;
  fhirStoreUrl: string;
  allowPrivateAddresses: boolean;
  caps: RequestCaps;
  answerBytes: number;
  attachmentBytes: number;
  attachmentsAtOnce: number;
  patience: Patience;
  ownPatience: OwnPatience;
  reportEveryMs: number;
}

export interface Collector extends CollectionDependencies {
  source: DataSource;
  /** Commands fail soon while Redis is away. */
  redis: Redis;
  keys: ScopedKeys;
  close(): Promise<void>;
}

/** Opens what a process needs to collect. */
export async function openCollector(settings: CollectorSettings, log: Logger): Promise<Collector> {
  const entities = [collectionEntity, positionEntity];
  const source = await openDatabase({ database: settings.database, schema: databaseSchema, entities, migrations });
  const kek = await LocalKeyEncryptionKey.fromFile(settings.keyFile);
  const keys = new ScopedKeys({ run: (sql, values) => source.query(sql, values), kek });
  await keys.assertKekMatches();
  const internal = (service: string, baseUrl: string): InternalHttp =>
    new InternalHttp({ service, baseUrl, caller: serviceName, key: settings.serviceKey });
  const redis = openRedis(settings.redisUrl, log);
  await untilReady(redis).catch(() => undefined);
  const limits = new HostLimits(settings.caps, new RedisHostLeases(redis));
  return {
    source,
    redis,
    keys,
    connections: new ConnectionsClient(internal('user-management', settings.userManagementUrl)),
    records: new RecordsClient(internal('fhir-store', settings.fhirStoreUrl)),
    positions: new Positions(source, keys),
    http: healthSystemHttp(settings.allowPrivateAddresses),
    limits,
    answers: new AnswerBudget(settings.answerBytes),
    attachments: { mostBytes: settings.attachmentBytes, turns: new Turns(settings.attachmentsAtOnce) },
    patience: settings.patience,
    ownPatience: settings.ownPatience,
    reportEveryMs: settings.reportEveryMs,
    close: async () => {
      await limits.close();
      redis.disconnect();
      await source.destroy();
    },
  };
}
