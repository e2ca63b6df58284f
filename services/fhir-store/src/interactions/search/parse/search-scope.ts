import { compartment } from '@tributary/fhir-definitions';
import { type Criterion, anyOf, compartmentCriterion } from '@tributary/fhir-search';
import type { FhirRequest } from '../../../fhir-http/fhir-request';
import { FhirError } from '../../../fhir-http/fhir-error';

/** The scope of a search: a type, several or all, and the criteria that the path sets. */
export interface SearchScope {
  /** The path below the release, such as `Observation` or `Patient/1/Observation`; empty for the whole record. */
  readonly address: string;
  readonly type: string | undefined;
  readonly criteria?: readonly Criterion[];
  /** The types of a search without `type`. */
  readonly types?: readonly string[];
}

/**
 * The scope of a search in a compartment: `/Patient/1/Observation`, or `/Patient/1/*` for all of its types
 * (https://hl7.org/fhir/R4/http.html#vsearch).
 * @throws FhirError 404 when the type is not a member of the compartment
 */
export function compartmentScope(
  { release }: Pick<FhirRequest, 'release'>,
  name: string,
  id: string,
  type: string,
): SearchScope {
  const address = `${name}/${id}/${type}`;
  if (type === '*') return { address, type: undefined, ...membersOf(release, name, [id]) };
  const criterion = compartmentCriterion(release, name, id, type);
  if (!criterion) throw new FhirError(404, `a compartment of ${name} does not contain ${type}`, 'not-found');
  return { address, type, criteria: [criterion] };
}

/** The members of these compartments, of all types, including the resources that define the compartments. */
export function membersOf(
  release: FhirRequest['release'],
  name: string,
  ids: readonly string[],
): { types: string[]; criteria: Criterion[] } {
  const byType = new Map<string, Criterion[]>();
  for (const type of new Set([name, ...compartment(release, name).keys()])) {
    const ofType = ids.flatMap((id) => compartmentCriterion(release, name, id, type) ?? []);
    if (ofType.length > 0) byType.set(type, ofType);
  }
  const all = [...byType.values()].flat();
  const member: Criterion = {
    parameter: name,
    condition: anyOf(all.map((criterion) => criterion.condition)),
    exact: all.every((criterion) => criterion.exact),
    matches: (resource) => byType.get(resource.resourceType)?.some((criterion) => criterion.matches(resource)) ?? false,
  };
  return { types: [...byType.keys()], criteria: [member] };
}
