import type { Owner } from './provision';

/** Who may call whom inside the suite: each service and those whose keys it accepts on its internal port. */
const callersOf: Readonly<Record<Owner, readonly Owner[]>> = {
  auth: ['user-management', 'search', 'fhir-store', 'analytics-export'],
  'user-management': ['ingestion-worker'],
  search: ['user-management'],
  'fhir-store': ['user-management', 'ingestion-worker'],
  'analytics-export': [],
  'ingestion-worker': [],
};

/** The value of a service's SERVICE_KEYS: the keys of those who may call it, as JSON by their names. */
export function acceptedKeys(service: Owner, keys: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.fromEntries(callersOf[service].map((caller) => [caller, keys[caller]])));
}
