import { baseUrl, commonConfig } from '@tributary/service-kit';
import { z } from 'zod';

/** Environment variables of the service. */
export const config = z.object({
  ...commonConfig.shape,
  BASE_URL: baseUrl.describe('the public address of user management, connect and FHIR'),
  AUTH_URL: baseUrl.describe('the public address of the token service'),
  SEARCH_URL: baseUrl.describe('the public address of the directory of health systems'),
  ANALYTICS_URL: baseUrl.describe('the public address of bulk export'),
  SANDBOX_URL: baseUrl.optional().describe('the address of the sandbox, which the pages name'),
});
