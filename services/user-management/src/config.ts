import { keyEncryptionKeyConfig } from '@tributary/key-providers';
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
  tlsConfig,
} from '@tributary/service-kit';
import { z } from 'zod';

const positive = z.coerce.number().positive();

/** The configuration of the operator's commands. */
export const vaultConfig = z.object({
  ...databaseConfig.shape,
  ...auditConfig.shape,
  DATABASE_POOL_SIZE: poolSize.default(20).describe('the maximum number of connections to PostgreSQL'),
  ...keyEncryptionKeyConfig.shape,
});

/** The configuration of the service. */
export const config = z.object({
  ...commonConfig.shape,
  ...vaultConfig.shape,
  ...redisConfig.shape,
  ...rateLimitConfig.shape,
  ...callerConfig.shape,
  ...calleeConfig.shape,
  AUTH_URL: baseUrl.describe('the public address of auth'),
  BASE_URL: baseUrl.describe('the public base URL of this service, which browsers and health systems use'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal base URL of auth'),
  SEARCH_INTERNAL_URL: baseUrl.describe('the internal base URL of search'),
  FHIR_STORE_INTERNAL_URL: baseUrl.describe('the internal base URL of fhir-store'),
  RATE_LIMIT_PER_HOUR: z.coerce
    .number()
    .int()
    .min(1)
    .default(300)
    .describe(
      'requests per hour that a client may send to user management, again to the webhook routes, and again to its activity',
    ),
  COLLECT_AGAIN_AFTER_HOURS: positive
    .default(24)
    .describe('hours between the end of a collection and the next scheduled one'),
  SWEEP_EVERY_SECONDS: positive.default(5).describe('seconds between the searches for due and unfinished work'),
  DELIVER_WEBHOOKS_EVERY_SECONDS: positive
    .default(1)
    .describe('seconds between the searches for due webhook deliveries'),
});
export type Config = z.output<typeof config>;

export const serviceName = 'user-management';

/** An hour in milliseconds. */
export const hourMs = 3_600_000;

/** The configuration of the commands about registrations. */
export const registrationConfig = vaultConfig.extend(config.pick({ BASE_URL: true }).shape);

/** The configuration of `registration test`, which sends requests as the service does. */
export const registrationCheckConfig = registrationConfig.extend({
  ...tlsConfig.shape,
  ...config.pick({ SANDBOX_MODE: true }).shape,
  ...config.pick({ SEARCH_INTERNAL_URL: true, SERVICE_KEY: true }).partial().shape,
});
