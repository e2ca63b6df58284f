import type { FhirVersion } from '@tributary/contracts';

/**
 * The `Accept` header for each FHIR release, the exact media type first, as some servers answer 406 without it. FHIR
 * renamed the type in STU3 (https://hl7.org/fhir/DSTU2/http.html#mime-type,
 * https://hl7.org/fhir/STU3/http.html#mime-type).
 */
export const acceptHeader: Record<FhirVersion, string> = {
  dstu2: 'application/json+fhir, application/fhir+json;q=0.9, application/json;q=0.8',
  stu3: 'application/fhir+json, application/json+fhir;q=0.9, application/json;q=0.8',
  r4: 'application/fhir+json, application/json;q=0.8',
};
/** Single media types for servers that refuse a list with 406, tried in this order. */
export const acceptFallbacks: Record<FhirVersion, string[]> = {
  dstu2: ['application/json+fhir', 'application/json'],
  stu3: ['application/fhir+json', 'application/json'],
  r4: ['application/fhir+json', 'application/json'],
};
