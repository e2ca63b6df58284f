import {
  auditConfig,
  baseUrl,
  calleeConfig,
  commonConfig,
  databaseConfig,
  poolSize,
  rateLimitConfig,
  redisConfig,
} from '@tributary/service-kit';
import { z } from 'zod';

/** Environment variables of the service. */
export const authConfig = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  ...auditConfig.shape,
  DATABASE_POOL_SIZE: poolSize.default(20).describe('maximum number of connections to PostgreSQL'),
  ...redisConfig.shape,
  ...calleeConfig.shape,
  ...rateLimitConfig.shape,
  REFRESH_TOKEN_MAX_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(366)
    .default(365)
    .describe('days after which a user needs a new code, however often the refresh token was used'),
  AUTH_URL: baseUrl.describe('the public address of this service'),
});
export type AuthConfig = z.infer<typeof authConfig>;
