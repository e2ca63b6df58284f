import { keyEncryptionKeyConfig } from '@tributary/key-providers';
import {
  auditConfig,
  baseUrl,
  calleeConfig,
  callerConfig,
  commonConfig,
  databaseConfig,
  redisConfig,
} from '@tributary/service-kit';
import { z } from 'zod';

export const serviceName = 'ingestion-worker';
export const databaseSchema = 'ingestion_worker';
export const wrappingKeyTable = `${databaseSchema}.wrapping_key`;

const positiveInteger = z.coerce.number().int().min(1);

/** The environment variables of this service. */
export const config = z.object({
  ...commonConfig.omit({ PORT: true }).shape,
  ...databaseConfig.shape,
  ...auditConfig.shape,
  ...redisConfig.shape,
  ...callerConfig.shape,
  ...calleeConfig.shape,
  ...keyEncryptionKeyConfig.shape,
  USER_MANAGEMENT_INTERNAL_URL: baseUrl.describe('internal API of user-management'),
  FHIR_STORE_INTERNAL_URL: baseUrl.describe('internal API of fhir-store'),
  COLLECTIONS_AT_ONCE: positiveInteger
    .max(500)
    .default(64)
    .describe('how many connections one worker collects at once; only some of them have a request in progress'),
  REQUESTS_PER_HOST: positiveInteger
    .max(64)
    .default(6)
    .describe('how many requests all workers together have in progress at one health system'),
  REQUESTS_AT_ONCE: positiveInteger
    .max(500)
    .default(32)
    .describe('how many requests one worker has in progress at all health systems together'),
  RESPONSE_MEMORY_MEGABYTES: positiveInteger
    .max(4000)
    .default(96)
    .describe(
      'how many megabytes of responses of health systems one worker holds at once, until they are stored; the process takes several times as much memory',
    ),
  FULL_COLLECTION_DAYS: positiveInteger
    .max(3650)
    .default(30)
    .describe(
      'after this many days a resource type is collected in full again, which finds deletions and what was loaded late',
    ),
  ATTACHMENT_MEGABYTES: positiveInteger
    .max(200)
    .default(200)
    .describe('larger attachments are not collected; those above 20 MB need the object storage of fhir-store'),
});
export type Config = z.output<typeof config>;
