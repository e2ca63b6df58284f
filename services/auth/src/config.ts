import { baseUrl, calleeConfig, commonConfig, databaseConfig, redisConfig } from '@tributary/service-kit';
import { z } from 'zod';

/** What the environment tells this service. */
export const authConfig = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  ...redisConfig.shape,
  ...calleeConfig.shape,
  AUTH_URL: baseUrl.describe('the public address of this service'),
  REFRESH_GRACE_MS: z.coerce.number().int().min(0).max(10_000).default(0).describe('for how long after a refresh the spent token is refused without revoking its family'),
});
export type AuthConfig = z.infer<typeof authConfig>;
