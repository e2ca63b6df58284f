import { z } from 'zod';
import { clientMode, healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';

/** The FHIR base URL of a health system for one release. */
export const healthSystemEndpoint = z.object({ fhirVersion, fhir_base_url: z.string() });
export type HealthSystemEndpoint = z.infer<typeof healthSystemEndpoint>;

/** A health system with the FHIR base URLs that connect needs. */
export const healthSystem = z.object({
  id: healthSystemId,
  name: z.string(),
  address: z.string(),
  mode: clientMode.describe('Which clients see the health system: `test` for the sandbox and other test systems.'),
  endpoints: z.array(healthSystemEndpoint),
});
export type HealthSystem = z.infer<typeof healthSystem>;

/**
 * The FHIR bases, hosts and domains at which user-management holds a registration of our client, as
 * `registrationPatterns` writes them.
 */
export const registeredPatterns = z.object({ patterns: z.array(z.string()) });
