import type { FhirVersion } from '@tributary/contracts';
import { compartment, resourceTypes } from '@tributary/fhir-definitions';
import { vendorSearches } from '../health-system/vendor-facts';
import type { Capabilities } from './capabilities';
import { grantedTypes } from './granted-types';

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
  /** Ask only for what changed since, where the server can (ISO instant). */
  since: string | undefined;
}

const pageSize = '100';

/** Which types are collected and how: what the server lets be searched by patient, within what was granted. The patient comes first. */
export function planCollection(input: PlanInput): TypePlan[] {
  const { release, patientId, capabilities } = input;
  const granted = grantedTypes(input.grantedScope);
  const members = compartment(release, 'Patient');
  const known = new Set(resourceTypes(release));
  const candidates = capabilities && capabilities.searchable.size > 0 ? [...capabilities.searchable.keys()] : [...members.keys()];
  const plans: TypePlan[] = [{ type: 'Patient', searches: [`Patient/${encodeURIComponent(patientId)}`] }];
  for (const type of candidates) {
    if (type === 'Patient' || !known.has(type) || (granted && !granted.has(type))) continue;
    const offered = capabilities?.searchable.get(type);
    const parameter = patientParameter(offered, members.get(type));
    if (parameter) plans.push({ type, searches: searchesOf(type, parameter, offered, input) });
  }
  return plans;
}

/** The addresses of a type's searches, with what a vendor is known to want. */
function searchesOf(type: string, parameter: string, offered: ReadonlySet<string> | undefined, { release, patientId, capabilities, since }: PlanInput): string[] {
  const common = new URLSearchParams([
    [parameter, parameter === 'patient' ? patientId : `Patient/${patientId}`],
    ['_count', pageSize],
  ]);
  if (since && offered?.has('_lastUpdated')) common.set('_lastUpdated', `gt${since}`);
  const variants = vendorSearches(capabilities?.software ?? '', release, type) ?? [{}];
  return variants.map((variant) => `${type}?${new URLSearchParams([...common, ...Object.entries(variant)]).toString()}`);
}

/** The same search once for each set of further parameters, for a server that refused the plain one. */
export function variantsOf(search: string, variants: Record<string, string>[]): string[] {
  const [type = '', query = ''] = search.split('?');
  return variants.map((variant) => `${type}?${new URLSearchParams([...new URLSearchParams(query), ...Object.entries(variant)]).toString()}`);
}

function patientParameter(offered: ReadonlySet<string> | undefined, compartmentCodes: readonly string[] | undefined): string | undefined {
  if (!offered || offered.size === 0) return compartmentCodes ? 'patient' : undefined;
  if (offered.has('patient')) return 'patient';
  if (offered.has('subject') && compartmentCodes) return 'subject';
  return compartmentCodes?.find((code) => offered.has(code));
}
