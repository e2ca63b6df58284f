import type { SearchQuery } from '@tributary/fhir-search';
import type { Call } from '../../http/call';
import { type BundleLink, BundleText, fullUrl } from '../bundle';
import { type ContainedMatch, containedUrl } from './contained';
import type { Found } from './found';
import { included } from './includes';
import { subsetOf } from './subset';

export interface SearchsetContent {
  readonly matches: readonly Found[];
  readonly contained: readonly ContainedMatch[];
  readonly links: readonly BundleLink[];
  readonly total: number | undefined;
}

const matchMode = '"search":{"mode":"match"}';
const includeMode = '"search":{"mode":"include"}';

/** The Bundle of a page: the matches in their order, then what was included for them. */
export async function searchset(call: Call, query: SearchQuery, { matches, contained, links, total }: SearchsetContent): Promise<Buffer> {
  const { result } = query;
  const subset = subsetOf(call.release, result);
  const bundle = new BundleText('searchset', links, total);
  for (const found of matches) bundle.resource(fullUrl(call.base, found), subset ? subset(found.resource) : found.line, matchMode);
  for (const match of contained) bundle.resource(containedUrl(call.base, match), match.text, matchMode);
  if (result.include.length > 0 || result.revinclude.length > 0) {
    for (const found of await included(call, result, matches)) bundle.resource(fullUrl(call.base, found), subset ? subset(found.resource) : found.line, includeMode);
  }
  return bundle.end();
}
