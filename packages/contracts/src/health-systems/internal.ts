import { z } from 'zod';
import { healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';

/** Where a health system serves one FHIR release. */
export const healthSystemEndpoint = z.object({ fhirVersion, fhir_base_url: z.string() });
export type HealthSystemEndpoint = z.infer<typeof healthSystemEndpoint>;

/** A health system as connect needs it: its name and its FHIR bases. */
export const healthSystem = z.object({
  id: healthSystemId,
  name: z.string(),
  address: z.string(),
  endpoints: z.array(healthSystemEndpoint),
});
export type HealthSystem = z.infer<typeof healthSystem>;
