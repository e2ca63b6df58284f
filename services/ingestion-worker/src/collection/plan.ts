import type { FhirVersion } from '@tributary/contracts';
import { compartment, resourceTypes } from '@tributary/fhir-definitions';
import { vendorParameters } from '../health-system/vendor-facts';
import type { Capabilities } from './capabilities';
import { grantedTypes } from './granted-types';
import { variantsOf } from './search-fallbacks';

/** The searches of one resource type, in order. */
export interface TypePlan {
  type: string;
  /** URLs relative to the FHIR base. That of the patient is a read, not a search. */
  searches: string[];
}

export interface PlanInput {
  release: FhirVersion;
  patientId: string;
  grantedScope: string;
  /** Undefined when the health system has no readable CapabilityStatement. */
  capabilities: Capabilities | undefined;
  /** The last completed collection. */
  earlier: EarlierCollection | undefined;
}

export interface EarlierCollection {
  startedAt: Date;
  /** The types that it has in full. */
  completeTypes: ReadonlySet<string>;
}

/** Large pages save requests; a server that does not support this size sends smaller ones. */
const pageSize = 500;
/**
 * Subtracted from the start of the earlier collection: clocks differ, and search indexes of servers lag behind changes.
 */
const overlapMs = 10 * 60_000;
/** The patient is read, not searched; Binary resources are fetched by reference only. */
const neverSearched = new Set(['Patient', 'Binary']);

/** The URL of the patient's own resource, relative to the FHIR base. */
export function patientUrl(patientId: string): string {
  return `Patient/${encodeURIComponent(patientId)}`;
}

/**
 * Plans the searches of a collection: every type that the server can search by patient and the scopes grant; the
 * patient first. Without a CapabilityStatement these are the types of the Patient compartment
 * (https://hl7.org/fhir/R4/compartmentdefinition-patient.html).
 */
export function planCollection(input: PlanInput): TypePlan[] {
  const { release, patientId, capabilities } = input;
  const granted = grantedTypes(input.grantedScope);
  const members = compartment(release, 'Patient');
  const known = new Set(resourceTypes(release));
  const candidates =
    capabilities && capabilities.searchable.size > 0 ? [...capabilities.searchable.keys()] : [...members.keys()];
  const plans: TypePlan[] = [{ type: 'Patient', searches: [patientUrl(patientId)] }];
  for (const type of candidates) {
    if (neverSearched.has(type) || !known.has(type) || (granted && !granted.has(type))) continue;
    const offered = capabilities?.searchable.get(type);
    const parameter = patientParameter(offered, members.get(type));
    if (parameter) plans.push({ type, searches: searchesOf(type, parameter, offered, input) });
  }
  return plans;
}

/** The searches of a type, with the parameters that the vendor is known to require. */
function searchesOf(
  type: string,
  parameter: string,
  offered: ReadonlySet<string> | undefined,
  { release, patientId, capabilities, earlier }: PlanInput,
): string[] {
  const parameters = new URLSearchParams([
    [parameter, parameter === 'patient' ? patientId : `Patient/${patientId}`],
    ['_count', String(pageSize)],
  ]);
  if (earlier?.completeTypes.has(type) && offered?.has('_lastUpdated'))
    parameters.set('_lastUpdated', `ge${new Date(earlier.startedAt.getTime() - overlapMs).toISOString()}`);
  const search = `${type}?${parameters.toString()}`;
  const required = vendorParameters(capabilities?.software ?? '', release, type);
  return required.length > 0 ? variantsOf(search, required) : [search];
}

function patientParameter(
  offered: ReadonlySet<string> | undefined,
  compartmentCodes: readonly string[] | undefined,
): string | undefined {
  if (!offered || offered.size === 0) return compartmentCodes ? 'patient' : undefined;
  if (offered.has('patient')) return 'patient';
  if (offered.has('subject') && compartmentCodes) return 'subject';
  return compartmentCodes?.find((code) => offered.has(code));
}
