import {
  baseUrl,
  calleeConfig,
  commonConfig,
  databaseConfig,
  flag,
  poolSize,
  redisConfig,
} from '@tributary/service-kit';
import { z } from 'zod';

/** Environment variables of the service. */
export const authConfig = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  DATABASE_POOL_SIZE: poolSize
    .min(2)
    .default(20)
    .describe(
      'maximum number of connections to PostgreSQL; a quarter of them for client applications, the others for tokens',
    ),
  ...redisConfig.shape,
  ...calleeConfig.shape,
  AUTH_URL: baseUrl.describe('the public address of this service'),
  SANDBOX_MODE: flag.describe('true allows JWKS URLs of clients on http and on private addresses'),
});
export type AuthConfig = z.infer<typeof authConfig>;
