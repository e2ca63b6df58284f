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

/** What the environment tells this service. */
export const authConfig = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  DATABASE_POOL_SIZE: poolSize
    .min(2)
    .default(20)
    .describe('connections to PostgreSQL at most; a quarter of them for knowing clients, the others for tokens'),
  ...redisConfig.shape,
  ...calleeConfig.shape,
  AUTH_URL: baseUrl.describe('the public address of this service'),
  SANDBOX_MODE: flag.describe('true lets JWKS URLs of clients on http and on private addresses through'),
});
export type AuthConfig = z.infer<typeof authConfig>;
