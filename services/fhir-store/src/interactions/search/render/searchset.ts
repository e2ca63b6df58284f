import type { SearchQuery } from '@tributary/fhir-search';
import type { FhirResponse } from '../../../fhir-http/fhir-response';
import type { FhirRequest } from '../../../fhir-http/fhir-request';
import { type BundleLink, BundleWriter } from '../../../fhir-http/bundle-writer';
import type { ContainedMatch } from './contained-matches';
import type { SearchMatch } from '../evaluate/search-match';
import { SearchsetEntries } from './searchset-entries';
import { chainsOverVersions } from './versioned-chains';

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
  { release, result, ignored, applied, subqueries }: SearchQuery,
  { matches, contained, included, links, total }: SearchsetContent,
): Pick<FhirResponse, 'body' | 'access'> {
  const bundle = new BundleWriter('searchset', links, total);
  const entries = new SearchsetEntries(request, bundle, result);
  entries.addIgnored(ignored, chainsOverVersions(release, subqueries, matches));
  for (const found of matches) entries.add(found, 'match');
  for (const match of contained) entries.addContained(match);
  for (const found of included) entries.add(found, 'include');
  return { body: entries.end(), access: { counts: bundle.counts, parameters: applied.map(([name]) => name) } };
}
