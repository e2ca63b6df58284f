import { baseUrl, commonConfig } from '@tributary/service-kit';
import { z } from 'zod';

const inside = (name: string) =>
  baseUrl
    .optional()
    .describe(`where this service reads the OpenAPI documents of ${name}; without it, at the public address`);

/** Environment variables of the service. */
export const config = z.object({
  ...commonConfig.shape,
  BASE_URL: baseUrl.describe('the public address of user management, connect and FHIR'),
  AUTH_URL: baseUrl.describe('the public address of the token service'),
  SEARCH_URL: baseUrl.describe('the public address of the directory of health systems'),
  ANALYTICS_URL: baseUrl.describe('the public address of bulk export'),
  SANDBOX_URL: baseUrl.optional().describe('the address of the sandbox, which the pages name'),
  API_URL: inside('{base_url}'),
  AUTH_API_URL: inside('{auth_url}'),
  SEARCH_API_URL: inside('{search_url}'),
  ANALYTICS_API_URL: inside('{analytics_url}'),
});
