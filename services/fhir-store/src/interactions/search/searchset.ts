import type { SearchQuery } from '@tributary/fhir-search';
import type { Call } from '../../fhir-http/fhir-request';
import { type BundleLink, BundleText } from '../../fhir-http/bundle-writer';
import type { ContainedMatch } from './contained-matches';
import type { Found } from './search-match';
import { SearchsetEntries } from './searchset-entries';

export interface SearchsetContent {
  readonly matches: readonly Found[];
  readonly contained: readonly ContainedMatch[];
  /** What was included for them. */
  readonly drawnIn: readonly Found[];
  readonly links: readonly BundleLink[];
  readonly total: number | undefined;
}

/** The Bundle of a page: the matches in their order, then what was included for them. */
export function searchset(
  call: Call,
  { result }: SearchQuery,
  { matches, contained, drawnIn, links, total }: SearchsetContent,
): Buffer {
  const entries = new SearchsetEntries(call, new BundleText('searchset', links, total), result);
  for (const found of matches) entries.add(found, 'match');
  for (const match of contained) entries.addContained(match);
  for (const found of drawnIn) entries.add(found, 'include');
  return entries.end();
}
