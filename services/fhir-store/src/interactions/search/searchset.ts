import type { SearchQuery } from '@tributary/fhir-search';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { type BundleLink, BundleWriter } from '../../fhir-http/bundle-writer';
import type { ContainedMatch } from './contained-matches';
import type { SearchMatch } from './search-match';
import { SearchsetEntries } from './searchset-entries';

export interface SearchsetContent {
  readonly matches: readonly SearchMatch[];
  readonly contained: readonly ContainedMatch[];
  /** The resources that are included for the matches. */
  readonly included: readonly SearchMatch[];
  readonly links: readonly BundleLink[];
  readonly total: number | undefined;
}

/** The Bundle of a page: what the search ignored, the matches in their order, then the included resources. */
export function searchset(
  request: FhirRequest,
  { result, ignored }: SearchQuery,
  { matches, contained, included, links, total }: SearchsetContent,
): Buffer {
  const entries = new SearchsetEntries(request, new BundleWriter('searchset', links, total), result);
  entries.addIgnored(ignored);
  for (const found of matches) entries.add(found, 'match');
  for (const match of contained) entries.addContained(match);
  for (const found of included) entries.add(found, 'include');
  return entries.end();
}
