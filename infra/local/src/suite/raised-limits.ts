import { defaultPolicies } from '@tributary/service-kit';

/**
 * Rate limits that no test reaches, for suites whose requests come from one address with few clients and users. The
 * limits still count every request.
 */
export const raisedLimits: Readonly<Record<string, string>> = {
  RATE_LIMIT_PER_HOUR: '100000000',
  LIMIT_FHIR_CONCURRENT: '100000',
  RATE_LIMITS: Object.keys(defaultPolicies)
    .map((name) => `${name}=100000000/60`)
    .join(),
};
