import {
  auditConfig,
  baseUrl,
  calleeConfig,
  callerConfig,
  commonConfig,
  databaseConfig,
  flag,
  poolSize,
  rateLimitConfig,
  redisConfig,
} from '@tributary/service-kit';
import { z } from 'zod';

/** Environment variables of the service. */
export const config = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  ...auditConfig.shape,
  DATABASE_POOL_SIZE: poolSize.default(4).describe('maximum number of connections to PostgreSQL'),
  ...redisConfig.shape,
  ...rateLimitConfig.shape,
  ...callerConfig.shape,
  ...calleeConfig.shape,
  SEARCH_URL: baseUrl.describe('the public address of this service'),
  AUTH_URL: baseUrl.describe('the public address of auth'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal base URL of auth'),
  USER_MANAGEMENT_INTERNAL_URL: baseUrl.describe('the internal base URL of user-management'),
});

/** Environment variables of the operator's commands. */
export const adminConfig = z.object({
  ...databaseConfig.shape,
  ...auditConfig.shape,
  SANDBOX_MODE: flag.describe('true allows http and private addresses of health systems; for development only'),
});
