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

/** What the operator's commands need. */
export const vaultConfig = z.object({
  ...databaseConfig.shape,
  DATABASE_POOL_SIZE: poolSize.default(20).describe('connections to PostgreSQL at most'),
  KEY_ENCRYPTION_KEY_FILE: z
    .string()
    .describe('the file with the key that wraps all data keys: 32 bytes, raw or in base64'),
});

export const config = z.object({
  ...commonConfig.shape,
  ...vaultConfig.shape,
  ...redisConfig.shape,
  ...callerConfig.shape,
  ...calleeConfig.shape,
  BASE_URL: baseUrl.describe('the public address of this service, as browsers and health systems know it'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal address of auth'),
  SEARCH_INTERNAL_URL: baseUrl.describe('the internal address of search'),
  FHIR_STORE_INTERNAL_URL: baseUrl.describe('the internal address of fhir-store'),
  SANDBOX_MODE: flag.describe(
    'true lets health systems and webhook endpoints on http and on private addresses through',
  ),
  RATE_LIMIT_PER_HOUR: z.coerce
    .number()
    .int()
    .min(1)
    .default(300)
    .describe('calls of one client to user management in an hour'),
  COLLECT_AGAIN_AFTER_HOURS: z.coerce
    .number()
    .positive()
    .default(24)
    .describe('how long after a collection the next one follows by itself'),
  SWEEP_EVERY_SECONDS: z.coerce
    .number()
    .positive()
    .default(5)
    .describe('how often is looked for work that was lost or is due'),
  DELIVER_WEBHOOKS_EVERY_SECONDS: z.coerce
    .number()
    .positive()
    .default(1)
    .describe('how often is looked for webhooks to deliver'),
});
export type Config = z.output<typeof config>;
