import type { SearchQuery } from '@tributary/fhir-search';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import { z } from 'zod';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { isStrict } from '../../fhir-http/prefer-header';
import type { BundleLink } from '../../fhir-http/bundle-writer';
import { Paging } from '../../fhir-http/paging';
import { containedPage } from './render/contained-matches';
import { countMatching, findPage } from './page/find-page';
import type { Filter } from './evaluate/search-filter';
import type { SearchMatch } from './evaluate/search-match';
import type { SearchScope } from './parse/search-scope';
import type { MatchPage } from './page/match-page';
import { ofNewestRelease } from './evaluate/newest-release';
import { readSearch } from './evaluate/read-search';
import { resolveContainedSearch, resolveSearch } from './evaluate/evaluate-search';
import { searchset } from './render/searchset';
import { type PageLocation, CatchUpPaging, pageLocation } from './page/catch-up-paging';
import { withIncludes } from './page/includes';

/** The state in a paging link: the parameters that were applied, the total, and the page. */
const pageState = pageLocation.extend({ query: z.string(), total: z.number().optional() });

const defaultCount = 20;
const maxCount = 1000;

/**
 * `GET /{release}/{Type}?…` and all other searches (https://hl7.org/fhir/R4/http.html#search).
 * @throws SearchError for an invalid parameter; FhirError 400 when a limit is exceeded, 410 for an outdated paging link
 */
export async function search(
  request: FhirRequest,
  scope: SearchScope,
  pairs: URLSearchParams = request.query,
): Promise<FhirResponse> {
  const pages = new Paging(request, scope.address, pageState, pairs);
  const { state } = pages;
  const query = await readSearch(request, scope.type, state ? new URLSearchParams(state.query) : pairs, {
    strict: isStrict(request),
    inR4: request.responseRelease === 'r4',
  });
  const scoped = scope.types && query.types.length === 0 ? { ...query, types: scope.types } : query;
  const { filter: resolved, contained } =
    query.result.contained === 'false'
      ? { filter: await resolveSearch(request.record, request.release, scoped, scope.criteria) }
      : await resolveContainedSearch(request.record, request.release, scoped, scope.criteria);
  const filter = query.result.releasePerSource ? await ofNewestRelease(request, resolved) : resolved;
  const applied = new URLSearchParams(query.applied).toString();
  const { result } = query;
  const self = pages.self(applied);
  if (result.summary === 'count' || result.count === 0) {
    const total = await countMatching(request.record, filter);
    return { status: 200, ...searchset(request, query, { ...noMatches, links: [self], total }) };
  }
  const { page, included, paging } = await readPage(request, query, filter, state);
  const total = state ? state.total : page.total;
  const linkTo = (relation: 'previous' | 'next', location: PageLocation | undefined): BundleLink[] =>
    pages.linkTo(relation, location && { query: applied, total, ...location });
  const links = [
    self,
    ...linkTo('previous', paging.previous(page)),
    ...linkTo('next', await paging.next(request.record, filter, page)),
  ];
  const shown = contained ? containedPage(result, contained, page.matches) : { matches: page.matches, contained: [] };
  return { status: 200, ...searchset(request, query, { ...shown, included, links, total }) };
}

const noMatches = { matches: [], contained: [], included: [] };

/**
 * The page that a paging link leads to, or the first page without one. The first page has the total, unless the client
 * does without it by `_total=none` (https://hl7.org/fhir/R4/search.html#total).
 */
async function readPage(
  request: FhirRequest,
  query: SearchQuery,
  filter: Filter,
  location: PageLocation | undefined,
): Promise<{ page: MatchPage; included: SearchMatch[]; paging: CatchUpPaging }> {
  const { result } = query;
  const paging = new CatchUpPaging(result.sort, location ?? {});
  const { sort, direction } = paging;
  const whole = await findPage(request.record, paging.filter(filter), {
    sort,
    count: Math.min(result.count ?? defaultCount, maxCount),
    maxBytes: request.contentLimits.pageBytes,
    direction,
    after: location?.after,
    total: !location && result.total !== 'none',
  });
  if (direction === 'backward' && whole.matches.length === 0)
    return readPage(request, query, filter, paging.beforeFirst());
  return { ...(await withIncludes(request, result, whole, direction)), paging };
}
