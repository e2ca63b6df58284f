import type { FhirVersion } from '@tributary/contracts';
import { compartment, resourceTypes } from '@tributary/fhir-definitions';
import { vendorParameters } from '../health-system/vendor-facts';
import type { Capabilities } from './capabilities';
import { grantedTypes } from './granted-types';
import { variantsOf } from './instead';

/** How one resource type is collected: one search after the other. */
export interface TypePlan {
  type: string;
  /** Addresses relative to the FHIR base; the patient itself is a read. */
  searches: string[];
}

export interface PlanInput {
  release: FhirVersion;
  patientId: string;
  grantedScope: string;
  /** Undefined when the health system does not say. */
  capabilities: Capabilities | undefined;
  /** What an earlier collection has already. */
  earlier: EarlierCollection | undefined;
}

export interface EarlierCollection {
  startedAt: Date;
  /** The types of which it got everything. */
  wholeTypes: ReadonlySet<string>;
}

/** Large pages save most of the requests of a large record; who cannot give so many gives fewer. */
const pageSize = 500;
/** Clocks differ, and a change is found by search some time after it was made: so much is asked for again. */
const overlapMs = 10 * 60_000;
/** Fetched by the references to them alone: nobody lets them be searched by patient, and they are large. */
const neverSearched = new Set(['Patient', 'Binary']);

/** The address of the patient's own resource, relative to the FHIR base. */
export function patientRead(patientId: string): string {
  return `Patient/${encodeURIComponent(patientId)}`;
}

/** Which types are collected and how: what the server lets be searched by patient, within what was granted. The patient comes first. */
export function planCollection(input: PlanInput): TypePlan[] {
  const { release, patientId, capabilities } = input;
  const granted = grantedTypes(input.grantedScope);
  const members = compartment(release, 'Patient');
  const known = new Set(resourceTypes(release));
  const candidates =
    capabilities && capabilities.searchable.size > 0 ? [...capabilities.searchable.keys()] : [...members.keys()];
  const plans: TypePlan[] = [{ type: 'Patient', searches: [patientRead(patientId)] }];
  for (const type of candidates) {
    if (neverSearched.has(type) || !known.has(type) || (granted && !granted.has(type))) continue;
    const offered = capabilities?.searchable.get(type);
    const parameter = patientParameter(offered, members.get(type));
    if (parameter) plans.push({ type, searches: searchesOf(type, parameter, offered, input) });
  }
  return plans;
}

/** The addresses of a type's searches, with what a vendor is known to want. */
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
  if (earlier?.wholeTypes.has(type) && offered?.has('_lastUpdated'))
    parameters.set('_lastUpdated', `ge${new Date(earlier.startedAt.getTime() - overlapMs).toISOString()}`);
  const search = `${type}?${parameters.toString()}`;
  const wanted = vendorParameters(capabilities?.software ?? '', release, type);
  return wanted.length > 0 ? variantsOf(search, wanted) : [search];
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
