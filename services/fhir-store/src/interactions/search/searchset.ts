import type { SearchQuery } from '@tributary/fhir-search';
import type { Call } from '../../http/call';
import { type BundleLink, BundleText } from '../bundle';
import type { ContainedMatch } from './contained';
import type { Found } from './found';
import { included } from './includes';
import { SearchsetEntries } from './searchset-entries';

export interface SearchsetContent {
  readonly matches: readonly Found[];
  readonly contained: readonly ContainedMatch[];
  readonly links: readonly BundleLink[];
  readonly total: number | undefined;
}

/** The Bundle of a page: the matches in their order, then what was included for them. */
export async function searchset(call: Call, query: SearchQuery, { matches, contained, links, total }: SearchsetContent): Promise<Buffer> {
  const { result } = query;
  const entries = new SearchsetEntries(call, new BundleText('searchset', links, total), result);
  for (const found of matches) entries.add(found, 'match');
  for (const match of contained) entries.addContained(match);
  if (result.include.length > 0 || result.revinclude.length > 0) {
    for (const found of await included(call, result, matches)) entries.add(found, 'include');
  }
  return entries.end();
}
