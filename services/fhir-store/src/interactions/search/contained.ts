import { stringifyJson } from '@tributary/fhir-json';
import { type SearchQuery, parseSearch } from '@tributary/fhir-search';
import { typeOfKind } from '@tributary/record-storage';
import type { Found } from './found';

/** A contained resource that matches; it is addressed through its container. */
export interface ContainedMatch {
  readonly container: Found;
  readonly fragment: string;
  readonly text: string;
}

export interface ShownMatches {
  readonly matches: readonly Found[];
  readonly contained: readonly ContainedMatch[];
}

/** What a search with `_contained` shows of the resources that it found: their contained resources that match, or themselves as the containers. */
export function containedPage(query: SearchQuery, type: string | undefined, found: readonly Found[]): ShownMatches {
  const { contained, containedType } = query.result;
  if (containedType === 'container') return { matches: found, contained: [] };
  const within: ContainedMatch[] = [];
  for (const container of found) {
    for (const resource of query.containedMatches(container.resource)) within.push({ container, fragment: resource.id ?? '', text: stringifyJson(resource) });
  }
  return { matches: contained === 'both' ? found.filter(matchesItself(query, type)) : [], contained: within };
}

/** Whether a resource itself, and not only something inside it, matches. */
function matchesItself(query: SearchQuery, type: string | undefined): (found: Found) => boolean {
  const { types, criteria } = parseSearch(query.release, type, query.applied.filter(([name]) => !name.startsWith('_contained')));
  return ({ resource }) => (types.length === 0 || types.includes(resource.resourceType)) && criteria.every((criterion) => criterion.matches(resource));
}

/** The address of a contained resource. */
export function containedUrl(base: string, { container, fragment }: ContainedMatch): string {
  return `${base}/${typeOfKind(container.kind)}/${container.id}#${encodeURIComponent(fragment)}`;
}
