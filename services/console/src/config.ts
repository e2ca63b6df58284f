import { baseUrl, callerConfig, commonConfig, rateLimitConfig, redisConfig } from '@tributary/service-kit';
import { z } from 'zod';

/** Environment variables of the service. */
export const config = z.object({
  ...commonConfig.shape,
  ...redisConfig.shape,
  ...rateLimitConfig.shape,
  ...callerConfig.shape,
  BASE_URL: baseUrl.describe('{base_url}, under which this service is /connect'),
  AUTH_INTERNAL_URL: baseUrl.describe('the internal address of auth'),
  SEARCH_INTERNAL_URL: baseUrl.describe('the internal address of search'),
  USER_MANAGEMENT_INTERNAL_URL: baseUrl.describe('the internal address of user-management'),
  API_URL: baseUrl.describe(
    'where this service reaches the public APIs of {base_url}: the gateway, from inside; over https its certificate is of an authority of TLS_CA_FILE, or of a well-known one',
  ),
  SEARCH_API_URL: baseUrl.describe('where this service reaches the public API of {search_url}, as API_URL'),
});
