import type { FhirVersion } from '@tributary/contracts';

/** What is accepted of a server of each release, exact type first: some answer 406 without it. */
export const acceptOf: Record<FhirVersion, string> = {
  dstu2: 'application/json+fhir, application/fhir+json;q=0.9, application/json;q=0.8',
  stu3: 'application/fhir+json, application/json+fhir;q=0.9, application/json;q=0.8',
  r4: 'application/fhir+json, application/json;q=0.8',
};
/** For servers that refuse a list: one type alone, tried in this order. */
export const acceptAlternatives: Record<FhirVersion, string[]> = {
  dstu2: ['application/json+fhir', 'application/json'],
  stu3: ['application/fhir+json', 'application/json'],
  r4: ['application/fhir+json', 'application/json'],
};
