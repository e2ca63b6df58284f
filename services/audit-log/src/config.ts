import { sixYearsInDays } from '@tributary/audit-log';
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

/** Base64 of the smallest key that is used, Ed25519 in PKCS #8. */
const minKeyLength = 64;

/** The keys of the audit log's reader. */
const keyConfig = z.object({
  AUDIT_OPENING_KEY: secret(minKeyLength).describe(
    'the private keys that open the audit log, one per line, oldest first: RSA in PKCS #8, base64',
  ),
  AUDIT_SIGNING_KEY: secret(minKeyLength).describe(
    'the private keys of checkpoints, one per line, oldest first, of which the last signs: Ed25519 in PKCS #8, base64',
  ),
});

/** Environment variables of the service. */
export const auditLogConfig = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  DATABASE_POOL_SIZE: poolSize.default(4).describe('maximum number of connections to PostgreSQL'),
  ...redisConfig.shape,
  ...rateLimitConfig.shape,
  ...callerConfig.shape,
  ...calleeConfig.shape,
  ...auditConfig.shape,
  ...keyConfig.shape,
  BASE_URL: baseUrl.describe('the public address of user-management, below which this service is'),
  AUTH_URL: baseUrl.describe('the public address of auth'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal address of auth'),
  PAGE_TOKEN_KEY: secret(16).describe('the secret that seals the links between pages; the same for all replicas'),
  AUDIT_ANCHOR_FILE: z
    .string()
    .optional()
    .describe(
      'a file outside of the database to which each checkpoint is appended, so that a removal of the newest ones is noticed',
    ),
});
export type AuditLogConfig = z.infer<typeof auditLogConfig>;

/** Environment variables of the operator's commands. */
export const adminConfig = z.object({
  ...databaseConfig.shape,
  ...keyConfig.shape,
  ...auditLogConfig.pick({ SANDBOX_MODE: true, AUDIT_ANCHOR_FILE: true }).shape,
});

/** What the log is opened, signed and verified with. */
export type LogConfig = Pick<
  AuditLogConfig,
  'AUDIT_OPENING_KEY' | 'AUDIT_SIGNING_KEY' | 'AUDIT_ANCHOR_FILE' | 'SANDBOX_MODE'
>;

/** How long blocks must have been kept, in days, before their retirement is accepted. */
export function minRetentionDays({ SANDBOX_MODE }: Pick<AuditLogConfig, 'SANDBOX_MODE'>): number {
  return SANDBOX_MODE ? 0 : sixYearsInDays;
}
