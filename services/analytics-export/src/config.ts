import { keyEncryptionKeyConfig } from '@tributary/key-providers';
import {
  auditConfig,
  baseUrl,
  callerConfig,
  commonConfig,
  databaseConfig,
  poolSize,
  rateLimitConfig,
  redisConfig,
  secret,
} from '@tributary/service-kit';
import { z } from 'zod';

/** The configuration of the service, from the environment. */
export const analyticsExportConfig = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  ...auditConfig.shape,
  ...redisConfig.shape,
  ...rateLimitConfig.shape,
  ...callerConfig.shape,
  ...keyEncryptionKeyConfig.shape,
  RECORDS_DATABASE_URL: databaseConfig.shape.DATABASE_URL.optional().describe(
    'where records are read, such as a replica; DATABASE_URL by default',
  ),
  DATABASE_POOL_SIZE: poolSize.default(6).describe('connections for the own schema'),
  RECORDS_POOL_SIZE: poolSize.default(12).describe('connections for reading records'),
  ANALYTICS_URL: baseUrl.describe('the public address of this service'),
  AUTH_URL: baseUrl.describe('the public address of auth'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal address of auth'),
  USER_MANAGEMENT_INTERNAL_URL: baseUrl.describe(
    'the internal address of user-management, which receives the reports of ended exports',
  ),
  FILE_TOKEN_KEY: secret(16).describe('the secret that seals the tokens of files; the same for all replicas'),
  EXPORT_FILE_RESOURCES: z.coerce
    .number()
    .int()
    .min(1)
    .default(100_000)
    .describe('the approximate maximum number of resources in a file'),
  SWEEP_EVERY_SECONDS: z.coerce
    .number()
    .min(0.1)
    .default(10)
    .describe('the interval of the sweep, and the time without progress after which it queues an export again'),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[^:]+$/)
    .default('{tributary}')
    .describe('the prefix of the Redis keys of the queue'),
  SYNCHRONOUS_EXPORT_BLOCKS: z.coerce
    .number()
    .int()
    .min(1)
    .default(50_000)
    .describe(
      'the maximum number of stored blocks that an export without Prefer: respond-async may read; a block holds up to 100 resources',
    ),
  SYNCHRONOUS_EXPORT_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(500_000_000)
    .describe(
      'the maximum number of bytes of resources that an export without Prefer: respond-async may read to filter or convert them',
    ),
  STALLED_DOWNLOAD_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(120)
    .describe('how long a download may make no progress before its connection is closed'),
});
export type AnalyticsExportConfig = z.infer<typeof analyticsExportConfig>;
