import {
  baseUrl,
  calleeConfig,
  callerConfig,
  commonConfig,
  databaseConfig,
  flag,
  poolSize,
  redisConfig,
} from '@tributary/service-kit';
import { z } from 'zod';

/** Environment variables of the service. */
export const config = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  DATABASE_POOL_SIZE: poolSize.default(4).describe('connections to PostgreSQL at most'),
  ...redisConfig.shape,
  ...callerConfig.shape,
  ...calleeConfig.shape,
  SEARCH_URL: baseUrl.describe('the public address of this service'),
  AUTH_INTERNAL_URL: baseUrl.describe('where auth answers other services'),
});

/** Environment variables of the operator's commands. */
export const adminConfig = z.object({
  ...databaseConfig.shape,
  SANDBOX_MODE: flag.describe('true lets http and internal addresses of health systems through; for development only'),
});
