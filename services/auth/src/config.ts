import { baseUrl, calleeConfig, commonConfig, databaseConfig, flag, redisConfig } from '@tributary/service-kit';
import { z } from 'zod';

/** What the environment tells this service. */
export const authConfig = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  ...redisConfig.shape,
  ...calleeConfig.shape,
  AUTH_URL: baseUrl.describe('the public address of this service'),
  SANDBOX_MODE: flag.describe('true lets JWKS URLs of clients on http and on private addresses through'),
});
export type AuthConfig = z.infer<typeof authConfig>;
