import { keyEncryptionKeyConfig } from '@tributary/key-providers';
import { objectStorageConfig } from '@tributary/object-storage';
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
  ...objectStorageConfig.shape,
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
});
export type AnalyticsExportConfig = z.infer<typeof analyticsExportConfig>;
