import { keyEncryptionKeyConfig } from '@tributary/key-providers';
import { objectStorageConfig } from '@tributary/object-storage';
import {
  auditConfig,
  baseUrl,
  calleeConfig,
  callerConfig,
  commonConfig,
  databaseConfig,
  poolSize,
  rateLimitConfig,
  redisConfig,
  secret,
} from '@tributary/service-kit';
import { z } from 'zod';

/** The configuration of this service, from environment variables. */
export const fhirStoreConfig = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  ...auditConfig.shape,
  ...redisConfig.shape,
  ...rateLimitConfig.shape,
  ...callerConfig.shape,
  ...calleeConfig.shape,
  ...keyEncryptionKeyConfig.shape,
  ...objectStorageConfig.shape,
  BASE_URL: baseUrl.describe('the public base URL of /dstu2, /stu3 and /r4'),
  AUTH_URL: baseUrl.describe('the public address of auth'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal address of auth'),
  PAGE_TOKEN_KEY: secret(16).describe('the secret that seals paging links; the same for all replicas'),
  DATABASE_POOL_SIZE: poolSize
    .default(16)
    .describe(
      'connections to PostgreSQL for transactions and long statements; up to eight more are shared by the others',
    ),
  CACHED_BLOCK_MEGABYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(64)
    .describe('memory for decrypted blocks of records, which stay for a minute after they were read; 0 keeps none'),
  RECORD_PARTITIONS: z.coerce
    .number()
    .int()
    .min(0)
    .max(1024)
    .default(16)
    .describe(
      'hash partitions of each table that a new installation gets; `storage partition` changes those of an existing one',
    ),
  LIMIT_FHIR_CONCURRENT: z.coerce
    .number()
    .int()
    .min(1)
    .default(32)
    .describe('requests of a user to the FHIR API that one replica carries out at once; further ones get 429'),
  EXPORT_ROLE: z
    .string()
    .regex(/^\w+$/)
    .optional()
    .describe('the PostgreSQL role of analytics-export, which gets read access'),
});
export type FhirStoreConfig = z.infer<typeof fhirStoreConfig>;
