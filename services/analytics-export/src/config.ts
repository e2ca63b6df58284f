import { baseUrl, callerConfig, commonConfig, databaseConfig, poolSize, redisConfig } from '@tributary/service-kit';
import { z } from 'zod';

/** What the environment tells this service. */
export const analyticsExportConfig = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  ...redisConfig.shape,
  ...callerConfig.shape,
  RECORDS_DATABASE_URL: databaseConfig.shape.DATABASE_URL.optional().describe(
    'where records are read, such as a replica; DATABASE_URL by default',
  ),
  DATABASE_POOL_SIZE: poolSize.default(6).describe('connections for the own schema'),
  RECORDS_POOL_SIZE: poolSize.default(12).describe('connections for reading records'),
  ANALYTICS_URL: baseUrl.describe('the public address of this service'),
  AUTH_URL: baseUrl.describe('the public address of auth'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal address of auth'),
  KEY_ENCRYPTION_KEY_FILE: z.string().describe('the file of the key-encryption key'),
  FILE_TOKEN_KEY: z.string().min(16).describe('the secret that seals the tokens of files; the same for all replicas'),
  EXPORT_FILE_RESOURCES: z.coerce
    .number()
    .int()
    .min(1)
    .default(100_000)
    .describe('a file ends after about so many resources'),
  EXPORT_FILE_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(100_000_000)
    .describe('a file ends after about so many bytes of NDJSON'),
  SWEEP_EVERY_SECONDS: z.coerce
    .number()
    .min(0.1)
    .default(10)
    .describe('how often, and after how long a silence, exports that got stuck are queued again'),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[^:]+$/)
    .default('{tributary}')
    .describe('begins the Redis keys of the queue'),
  SYNCHRONOUS_EXPORT_BLOCKS: z.coerce
    .number()
    .int()
    .min(1)
    .default(50_000)
    .describe(
      'stored blocks that an export without Prefer: respond-async may look at; a block holds up to 100 resources',
    ),
  SYNCHRONOUS_EXPORT_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(500_000_000)
    .describe('bytes of resources that an export without Prefer: respond-async may read to filter or convert them'),
  AUDIT_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .default(2190)
    .describe('how long the record of exports and downloads is kept'),
  DOWNLOADS_AT_ONCE: z.coerce
    .number()
    .int()
    .min(2)
    .default(16)
    .describe('downloads that run at once in one replica; more wait'),
  STALLED_DOWNLOAD_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .default(120)
    .describe('a downloader that takes nothing for so long is let go'),
});
export type AnalyticsExportConfig = z.infer<typeof analyticsExportConfig>;
