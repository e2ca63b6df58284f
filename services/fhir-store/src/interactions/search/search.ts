import type { Criterion, SearchQuery } from '@tributary/fhir-search';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import { z } from 'zod';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { isStrict } from '../../fhir-http/prefer-header';
import { pageParameter } from '../../fhir-http/page-tokens';
import { BundleWriter, pageUrl } from '../../fhir-http/bundle-writer';
import { containedPage } from './contained-matches';
import { countMatching, findPage } from './find-page';
import { pagePosition } from './search-match';
import { readSearch } from './read-search';
import { resolveSearch } from './evaluate-search';
import { searchset } from './searchset';
import { UpdateSweep, sweepState } from './update-sweep';
import { withIncludes } from './page-with-includes';

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
 * The state in a paging link: the parameters that were applied, the position after which the page begins, the total,
 * and the state of `UpdateSweep`.
 */
const pageState = z.object({
  query: z.string(),
  after: pagePosition.optional(),
  total: z.number().optional(),
  updated: sweepState.optional(),
});
type PageState = z.infer<typeof pageState>;

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
  const token = pairs.get(pageParameter);
  const state =
    token === null ? undefined : request.pages.open(token, request.record.userId, addressOf(request, scope), pageState);
  const query = await readSearch(request, scope.type, state ? new URLSearchParams(state.query) : pairs, {
    strict: isStrict(request),
  });
  const filter = await resolveSearch(
    request.record,
    request.release,
    scope.types && query.types.length === 0 ? { ...query, types: scope.types } : query,
    scope.criteria,
  );
  const applied = new URLSearchParams(query.applied).toString();
  const selfUrl =
    token === null
      ? pageUrl(request, scope.address, applied)
      : pageUrl(request, scope.address, `${pageParameter}=${token}`);
  const { result } = query;
  if (result.summary === 'count' || result.count === 0) {
    return {
      status: 200,
      body: new BundleWriter(
        'searchset',
        [{ relation: 'self', url: selfUrl }],
        await countMatching(request.record, filter),
      ).end(),
    };
  }
  const countsTotal = state === undefined && (result.total === 'accurate' || result.total === 'estimate');
  const count = Math.min(result.count ?? defaultCount, maxCount);
  const sweep = new UpdateSweep(result.sort, state?.updated);
  const whole = await findPage(request.record, sweep.filter(filter), {
    sort: sweep.sort,
    count,
    after: state?.after,
    total: countsTotal,
  });
  const total = state ? state.total : totalOf(query, whole);
  const { page, included } = await withIncludes(request, result, whole);
  const following = await sweep.next(request.record, filter, page);
  const next =
    following &&
    pageUrl(
      request,
      scope.address,
      `${pageParameter}=${request.pages.seal({ query: applied, total, ...following } satisfies PageState, request.record.userId, addressOf(request, scope))}`,
    );
  const links = [
    { relation: 'self' as const, url: selfUrl },
    ...(next === undefined ? [] : [{ relation: 'next' as const, url: next }]),
  ];
  const shown =
    result.contained === 'false' ? { matches: page.matches, contained: [] } : containedPage(query, page.matches);
  return { status: 200, body: searchset(request, query, { ...shown, included, links, total }) };
}

/** The total, if it is requested, or known because the first page is the last. */
function totalOf(
  { result }: SearchQuery,
  page: { matches: readonly unknown[]; next: unknown; total: number | undefined },
): number | undefined {
  if (result.total === 'none') return undefined;
  return page.total ?? (page.next === undefined ? page.matches.length : undefined);
}

function addressOf({ release }: FhirRequest, { address }: SearchScope): string {
  return `${release}/${address}`;
}
