import {
  auditConfig,
  accessTokenConfig,
  baseUrl,
  calleeConfig,
  callerConfig,
  commonConfig,
  databaseConfig,
  flag,
  limitSetting,
  poolSize,
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
  ...accessTokenConfig.shape,
  ...callerConfig.shape,
  ...calleeConfig.shape,
  SEARCH_URL: baseUrl.describe('the public address of this service'),
  AUTH_URL: baseUrl.describe('the public address of auth'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal base URL of auth'),
  USER_MANAGEMENT_INTERNAL_URL: baseUrl.describe('the internal base URL of user-management'),
  LIMIT_SEARCH_USER: limitSetting('300/60').describe('searches of a user, as requests/seconds, or off'),
  LIMIT_SEARCH_CLIENT: limitSetting('30000/60').describe(
    'searches of all users of a client, as requests/seconds, or off',
  ),
});

/** Environment variables of the operator's commands. */
export const adminConfig = z.object({
  ...databaseConfig.shape,
  ...auditConfig.shape,
  SANDBOX_MODE: flag.describe('true allows http and private addresses of health systems; for development only'),
});
