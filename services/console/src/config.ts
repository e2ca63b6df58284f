import { keyEncryptionKeyConfig } from '@tributary/key-providers';
import {
  auditConfig,
  baseUrl,
  callerConfig,
  commonConfig,
  databaseConfig,
  rateLimitConfig,
  redisConfig,
  secret,
} from '@tributary/service-kit';
import { z } from 'zod';

export const serviceName = 'console';

/** The configuration of the operator's commands. */
export const vaultConfig = z.object({
  ...databaseConfig.shape,
  ...auditConfig.shape,
  ...keyEncryptionKeyConfig.shape,
});

/** Environment variables of the service. */
export const config = z.object({
  ...commonConfig.shape,
  ...vaultConfig.shape,
  ...redisConfig.shape,
  ...rateLimitConfig.shape,
  ...callerConfig.shape,
  BASE_URL: baseUrl.describe('{base_url}, under which this service is /connect and /console'),
  AUTH_URL: baseUrl.describe('{auth_url}, in the commands that the developer console shows'),
  SEARCH_URL: baseUrl.describe('{search_url}, likewise'),
  ANALYTICS_URL: baseUrl.describe('{analytics_url}, likewise'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal address of auth'),
  SEARCH_INTERNAL_URL: baseUrl.describe('the internal address of search'),
  USER_MANAGEMENT_INTERNAL_URL: baseUrl.describe('the internal address of user-management'),
  FHIR_STORE_INTERNAL_URL: baseUrl.describe(
    'the internal address of fhir-store, whose readiness and keys operators see',
  ),
  ANALYTICS_EXPORT_INTERNAL_URL: baseUrl.describe(
    'the internal address of analytics-export, whose readiness operators see',
  ),
  INGESTION_WORKER_INTERNAL_URL: baseUrl.describe(
    'the internal address of ingestion-worker, whose readiness and keys operators see',
  ),
  AUDIT_LOG_INTERNAL_URL: baseUrl.describe('the internal address of audit-log, which verifies for operators'),
  MCP_SERVER_INTERNAL_URL: baseUrl.describe('the internal address of mcp-server, whose readiness operators see'),
  DOCUMENTATION_INTERNAL_URL: baseUrl.describe('the internal address of documentation, whose readiness operators see'),
  API_URL: baseUrl.describe(
    'where this service reaches the public APIs of {base_url}: the gateway, from inside; over https its certificate is of an authority of TLS_CA_FILE, or of a well-known one',
  ),
  SEARCH_API_URL: baseUrl.describe('where this service reaches the public API of {search_url}, as API_URL'),
  AUTH_API_URL: baseUrl.describe('where this service reaches the public API of {auth_url}, as API_URL'),
  ANALYTICS_API_URL: baseUrl.describe('where this service reaches the public API of {analytics_url}, as API_URL'),
  SMTP_URL: secret(1, {
    pattern:
      /^smtps?:\/\/(?:(?:[^/?#@:%]|%[\da-f]{2})+:(?:[^/?#@:%]|%[\da-f]{2})+@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?\/?$/i,
    text: 'smtp://user:password@host:port or smtps://user:password@host:port, with special characters percent-encoded',
  }).describe(
    'the mail server for mails to developers, as smtps:// (TLS) or smtp:// (STARTTLS, which it must offer unless it is on the own machine) with user and password',
  ),
  MAIL_FROM: z
    .string()
    .regex(/^(?:[^<>\r\n]{1,100} <[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/, 'must be an address, or Name <address>')
    .describe('the sender of the mails to developers, such as Tributary <no-reply@example.org>'),
  SANDBOX_MAIL_URL: baseUrl
    .optional()
    .describe('the pages of sandbox-mail, to which the console links after it has sent a mail'),
});
