import type { CollectionWarning, ConnectionForCollection, FhirVersion, TypeAccess } from '@tributary/contracts';
import { compartment, resourceTypes } from '@tributary/fhir-definitions';
import type { EarlierCollections } from '../../checkpoints/verification-state';
import { patientParameters, vendorParameter } from '../../health-system/vendor-facts';
import type { Capabilities } from './capabilities';
import { grantedAccess } from './granted-types';
import { searchUrl } from './search-url';

/** The searches of one resource type, in order. */
export interface TypePlan {
  type: string;
  /**
   * URLs relative to the FHIR base. That of the patient is a read, not a search. Empty when the resources of the type
   * come with others only: included in their searches, or as targets of references.
   */
  searches: string[];
  /** What is known beforehand to be missing. */
  warnings: CollectionWarning[];
  /** The CapabilityStatement offers no search of this type by patient; it is tried nevertheless. */
  isUnannounced?: boolean;
  /** The searches include the Provenance of their results. */
  includesProvenance?: boolean;
}

export interface PlanInput extends Pick<
  ConnectionForCollection,
  'fhirVersion' | 'patient_id' | 'granted_scope' | 'consented_types'
> {
  /** Undefined when the health system has no readable CapabilityStatement. */
  capabilities: Capabilities | undefined;
  /** The last completed collection; of these types only changes since then are needed. */
  earlier: Pick<EarlierCollections, 'startedAt' | 'completeTypes'> | undefined;
}

/**
 * Subtracted from the start of the earlier collection: clocks differ, search indexes of servers lag behind changes, and
 * interfaces load resources some time after their `lastUpdated`. What was collected before is stored as unchanged.
 */
const overlapMs = 24 * 3600_000;
/** `_count` of the planned searches. Large pages save requests; most servers silently send smaller ones. */
export const initialPageSize = 500;
/** The patient is read, not searched; Binary resources are fetched by reference only. */
const neverSearched = new Set(['Patient', 'Binary']);
const provenanceOfResults = ['_revinclude', 'Provenance:target'] as const;

/** The URL of the patient's own resource, relative to the FHIR base. */
export function patientUrl(patientId: string): string {
  return `Patient/${encodeURIComponent(patientId)}`;
}

/**
 * Plans the searches of a collection: every type of the Patient compartment
 * (https://hl7.org/fhir/R4/compartmentdefinition-patient.html), and every other type that the server can search by
 * patient, that the user has consented to and the scopes grant; the patient first. Of the compartment only what the
 * CapabilityStatement offers is searched, when there is one.
 */
export function planCollection(input: PlanInput): TypePlan[] {
  const { fhirVersion: release, capabilities } = input;
  const members = compartment(release, 'Patient');
  const known = new Set(resourceTypes(release));
  const accessTo = grantedAccess(input.granted_scope, input.consented_types);
  const candidates =
    capabilities && capabilities.searchable.size > 0 ? [...capabilities.searchable.keys()] : [...members.keys()];
  const plans = [patientPlan(input, accessTo('Patient'))];
  const isProvenanceIncluded =
    accessTo('Provenance').search && candidates.some((type) => capabilities?.includesProvenance.has(type));
  for (const type of candidates) {
    if (neverSearched.has(type) || !known.has(type)) continue;
    const access = accessTo(type);
    if (!access.read && !access.search) continue;
    const offered = capabilities?.searchable.get(type);
    const announced = patientParameter(offered, members.get(type), release);
    if (announced === undefined && !members.has(type)) continue;
    if (type === 'Provenance' && isProvenanceIncluded) plans.push(provenancePlan(input, announced));
    else if (!access.search) plans.push({ type, searches: [], warnings: [grantedForReadingOnly(type)] });
    else {
      const includesProvenance = isProvenanceIncluded && capabilities?.includesProvenance.has(type) === true;
      plans.push({
        type,
        ...searchesOf(type, announced ?? 'patient', access, input, includesProvenance),
        ...(announced === undefined ? { isUnannounced: true } : {}),
        ...(includesProvenance ? { includesProvenance } : {}),
      });
    }
  }
  if (isProvenanceIncluded && !plans.some(({ type }) => type === 'Provenance'))
    plans.push(provenancePlan(input, undefined));
  return plans;
}

function patientPlan({ patient_id: patientId }: PlanInput, access: TypeAccess): TypePlan {
  const url =
    access.search && !access.read
      ? searchUrl({ type: 'Patient', parameters: new URLSearchParams({ _id: patientId }) })
      : patientUrl(patientId);
  return { type: 'Patient', searches: [url], warnings: [] };
}

/**
 * Provenance comes with the searches of other types. A search by patient finds that of the patient's own resource only
 * (https://hl7.org/fhir/R4/provenance.html#search), so that it is no substitute.
 */
function provenancePlan({ patient_id: patientId, capabilities }: PlanInput, announced: string | undefined): TypePlan {
  const searches: string[] = [];
  if (announced !== undefined) searches.push(patientSearch('Provenance', announced, patientId));
  if (capabilities?.includesProvenance.has('Patient'))
    searches.push(
      searchUrl({ type: 'Patient', parameters: new URLSearchParams([['_id', patientId], [...provenanceOfResults]]) }),
    );
  return { type: 'Provenance', searches, warnings: [] };
}

/** The searches of a type, with the parameters of granular scopes, or those that the vendor is known to require. */
function searchesOf(
  type: string,
  parameter: string,
  { parameters: granted }: TypeAccess,
  { fhirVersion: release, patient_id: patientId, capabilities, earlier }: PlanInput,
  includesProvenance: boolean,
): Pick<TypePlan, 'searches' | 'warnings'> {
  const common: [string, string][] = [];
  if (includesProvenance) common.push([...provenanceOfResults]);
  if (earlier?.completeTypes.has(type) && capabilities?.searchable.get(type)?.has('_lastUpdated'))
    common.push(['_lastUpdated', `ge${new Date(earlier.startedAt.getTime() - overlapMs).toISOString()}`]);
  const search = (additional: Iterable<[string, string]>): string =>
    patientSearch(type, parameter, patientId, [...common, ...additional]);
  if (granted.length > 0) return { searches: joined(granted).map(search), warnings: [grantedInPart(type)] };
  const required = vendorParameter(capabilities?.software ?? '', release, type);
  if (!required) return { searches: [search([])], warnings: [] };
  return {
    searches: [search([[required.name, required.values.join()]])],
    warnings: required.isExhaustive ? [] : [limitedSearchWarning(required.name)],
  };
}

function patientSearch(
  type: string,
  parameter: string,
  patientId: string,
  additional: Iterable<[string, string]> = [],
): string {
  const isReference = patientParameters.find(({ name }) => name === parameter)?.isReference ?? true;
  const parameters = new URLSearchParams([
    [parameter, isReference ? `Patient/${patientId}` : patientId],
    ['_count', String(initialPageSize)],
    ...additional,
  ]);
  return searchUrl({ type, parameters });
}

/** Sets of parameters that consist of the same single parameter are one set: its values are separated by commas. */
function joined(sets: readonly URLSearchParams[]): [string, string][][] {
  const lists = sets.map((set) => [...set]);
  const [first] = lists;
  const name = first?.[0]?.[0] ?? '';
  const isJoinable = lists.every((list) => list.length === 1 && list[0]?.[0] === name);
  return isJoinable ? [[[name, lists.map(([parameter]) => parameter?.[1] ?? '').join()]]] : lists;
}

/** The parameter for the patient that the server offers, for a type of the compartment also any that links to it. */
function patientParameter(
  offered: ReadonlySet<string> | undefined,
  compartmentCodes: readonly string[] | undefined,
  release: FhirVersion,
): string | undefined {
  if (!offered || offered.size === 0) return compartmentCodes ? 'patient' : undefined;
  if (offered.has('patient')) return 'patient';
  if (!compartmentCodes) return undefined;
  const known = patientParameters.find(
    ({ name, releases = [release] }) => offered.has(name) && releases.includes(release),
  );
  return known?.name ?? compartmentCodes.find((code) => offered.has(code));
}

export function limitedSearchWarning(parameter: string): CollectionWarning {
  return {
    code: 'limited_search',
    message: `the health system requires the search parameter ${parameter}; resources with none of the known values are not found`,
  };
}

function grantedInPart(type: string): CollectionWarning {
  return { code: 'granted_in_part', message: `the granted scopes contain a part of ${type} only` };
}

function grantedForReadingOnly(type: string): CollectionWarning {
  return {
    code: 'granted_in_part',
    message: `the granted scopes allow to read ${type}, but not to search for it; only what others refer to is found`,
  };
}
