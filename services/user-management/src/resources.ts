import { AuthClient, DirectoryClient, RecordsClient } from '@tributary/contracts';
import {
  AccessTokens,
  type ApiAudit,
  CredentialGuard,
  FailedTokens,
  RateLimits,
  type ServiceRuntime,
  openRedis,
  redisStartWaitMs,
  untilReady,
} from '@tributary/service-kit';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import type { Config } from './config';
import type { DataKeys } from './database/data-keys';
import { openServiceDatabase } from './database/open-database';
import { OutboundHttp } from './outbound/outbound-http';

export const serviceName = 'user-management';

/** The connections of the process to databases and other services. */
export interface Resources {
  config: Config;
  log: Logger;
  audit: ApiAudit;
  database: DataSource;
  keys: DataKeys;
  redis: Redis;
  auth: AuthClient;
  /** Delays attempts to guess credentials of clients. */
  guard: CredentialGuard;
  directory: DirectoryClient;
  records: RecordsClient;
  /** Access tokens of users, introspected by auth. */
  accessTokens: AccessTokens;
  /** To health systems and webhook endpoints. */
  http: OutboundHttp;
  close(): Promise<void>;
}

/** @throws Error when the database cannot be opened */
export async function openResources(config: Config, runtime: ServiceRuntime): Promise<Resources> {
  const { log } = runtime;
  const { database, keys } = await openServiceDatabase(config, log);
  const redis = openRedis(config, log);
  const revocationSubscriber = openRedis(config, log);
  await untilReady(redis, redisStartWaitMs).catch(() => undefined);
  const auth = new AuthClient(runtime.internalHttp('auth', config.AUTH_INTERNAL_URL));
  return {
    config,
    log,
    audit: { trail: runtime.audit, trustedProxies: config.TRUSTED_PROXIES },
    database,
    keys,
    redis,
    auth,
    guard: new CredentialGuard({ ...config, redis }),
    directory: new DirectoryClient(runtime.internalHttp('search', config.SEARCH_INTERNAL_URL)),
    records: new RecordsClient(runtime.internalHttp('fhir-store', config.FHIR_STORE_INTERNAL_URL)),
    accessTokens: new AccessTokens(
      auth,
      revocationSubscriber,
      new FailedTokens(new RateLimits(redis, config.RATE_LIMITS), config.TRUSTED_PROXIES),
    ),
    http: new OutboundHttp({ allowPrivateAddresses: config.SANDBOX_MODE }),
    close: async () => {
      redis.disconnect();
      revocationSubscriber.disconnect();
      await database.destroy();
    },
  };
}
