import { baseUrl, callerConfig, commonConfig, databaseConfig, flag, redisConfig } from '@tributary/service-kit';
import { z } from 'zod';

export const serviceName = 'ingestion-worker';
export const databaseSchema = 'ingestion_worker';

const atLeastOne = z.coerce.number().int().min(1);

/** What this service is told by its environment. */
export const config = z.object({
  ...commonConfig.omit({ PORT: true }).shape,
  ...databaseConfig.shape,
  ...redisConfig.shape,
  ...callerConfig.shape,
  KEY_ENCRYPTION_KEY_FILE: z.string().describe('the file of the key-encryption key'),
  USER_MANAGEMENT_INTERNAL_URL: baseUrl.describe('the internal API of user-management'),
  FHIR_STORE_INTERNAL_URL: baseUrl.describe('the internal API of fhir-store'),
  SANDBOX_MODE: flag.describe('true lets health systems have http and private addresses'),
  COLLECTIONS_AT_ONCE: atLeastOne
    .max(500)
    .default(64)
    .describe('how many connections one worker collects at once; few of them have a request under way at one time'),
  REQUESTS_PER_HOST: atLeastOne
    .max(64)
    .default(6)
    .describe('how many requests all workers together have under way at one health system'),
  REQUESTS_AT_ONCE: atLeastOne
    .max(500)
    .default(32)
    .describe('how many requests one worker has under way at all health systems together'),
  ANSWER_MEGABYTES: atLeastOne
    .max(4000)
    .default(96)
    .describe(
      'how much of the answers of health systems one worker holds at once, from their coming in until they are stored; memory takes some times as much',
    ),
  ATTACHMENT_MEGABYTES: atLeastOne.max(40).default(20).describe('larger attachments are left at the health system'),
});
export type Config = z.output<typeof config>;
