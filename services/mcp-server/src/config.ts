import { baseUrl, callerConfig, commonConfig, rateLimitConfig, redisConfig } from '@tributary/service-kit';
import { z } from 'zod';

const count = z.coerce.number().int().min(1);

/** Environment variables of the service. */
export const config = z.object({
  ...commonConfig.shape,
  ...redisConfig.shape,
  ...rateLimitConfig.shape,
  ...callerConfig.shape,
  BASE_URL: baseUrl.describe('{base_url}, under which this service is /mcp'),
  AUTH_URL: baseUrl.describe('the public address of auth, where clients get tokens'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal address of auth'),
  API_URL: baseUrl.describe(
    'where this service reaches the public APIs of {base_url}: the gateway, from inside; over https its certificate is of an authority of TLS_CA_FILE, or of a well-known one',
  ),
  ALLOWED_ORIGINS: z
    .string()
    .transform((text) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    )
    .optional()
    .describe(
      'the origins of web pages that may call /mcp, separated by commas; without it, https origins and http origins on loopback names',
    ),
  CALL_TIMEOUT_SECONDS: count.max(110).default(60).describe('how long a call of a tool may take, with its waiting'),
});
export type McpConfig = z.infer<typeof config>;
