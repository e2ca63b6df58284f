import { stringifyJson } from '@tributary/fhir-json';
import type { ContainedSearch, ResultParameters } from '@tributary/fhir-search';
import { relativeReference } from '@tributary/record-storage';
import type { SearchMatch } from '../evaluate/search-match';

/** A contained resource that matches; its URL is that of its container with a fragment. */
export interface ContainedMatch {
  readonly container: SearchMatch;
  readonly fragment: string;
  readonly text: string;
}

export interface ContainedPage {
  readonly matches: readonly SearchMatch[];
  readonly contained: readonly ContainedMatch[];
}

/**
 * The result of a search with `_contained`: the contained resources that match, or their containers
 * (https://hl7.org/fhir/R4/search.html#contained).
 */
export function containedPage(
  { contained, containedType }: ResultParameters,
  search: ContainedSearch,
  found: readonly SearchMatch[],
): ContainedPage {
  if (containedType === 'container') return { matches: found, contained: [] };
  const within: ContainedMatch[] = [];
  for (const container of found) {
    for (const resource of search.matchesWithin(container.resource))
      within.push({ container, fragment: resource.id ?? '', text: stringifyJson(resource) });
  }
  return {
    matches: contained === 'both' ? found.filter(({ resource }) => search.matchesItself(resource)) : [],
    contained: within,
  };
}

/** The URL of a contained resource. */
export function containedUrl(base: string, { container, fragment }: ContainedMatch): string {
  return `${base}/${relativeReference(container)}#${encodeURIComponent(fragment)}`;
}
