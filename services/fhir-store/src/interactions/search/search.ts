import type { Criterion, SearchQuery } from '@tributary/fhir-search';
import type { Answer } from '../../fhir-http/fhir-response';
import { z } from 'zod';
import type { Call } from '../../fhir-http/fhir-request';
import { isStrict } from '../../fhir-http/prefer-header';
import { pageParameter } from '../../fhir-http/page-tokens';
import { BundleText, pageUrl } from '../../fhir-http/bundle-writer';
import { containedPage } from './contained-matches';
import { countMatching, findPage } from './find-page';
import { searchPlace } from './search-match';
import { readSearch } from './read-search';
import { resolveSearch } from './resolve-subqueries';
import { searchset } from './searchset';
import { UpdatedLast, updatedState } from './update-sweep';
import { withIncludes } from './page-with-includes';

/** What is searched: the resources of a type, of several, or of all, and the criteria that the address itself sets. */
export interface SearchScope {
  /** Below the release: `Observation`, `Patient/1/Observation`; empty for the whole record. */
  readonly address: string;
  readonly type: string | undefined;
  readonly criteria?: readonly Criterion[];
  /** Types that a search over all of them is limited to. */
  readonly types?: readonly string[];
}

/** The state in a paging link: the query as it was understood, where the page begins, how many match in all, and what `UpdatedLast` keeps. */
const pageState = z.object({
  query: z.string(),
  place: searchPlace.optional(),
  total: z.number().optional(),
  updated: updatedState.optional(),
});
type PageState = z.infer<typeof pageState>;

const defaultCount = 20;
const mostCount = 1000;

/** `GET /{release}/{Type}?…` and every other search. */
export async function search(call: Call, scope: SearchScope, pairs: URLSearchParams = call.query): Promise<Answer> {
  const token = pairs.get(pageParameter);
  const state =
    token === null ? undefined : call.pages.open(token, call.record.userId, addressOf(call, scope), pageState);
  const query = await readSearch(call, scope.type, state ? new URLSearchParams(state.query) : pairs, {
    strict: isStrict(call),
  });
  const filter = await resolveSearch(
    call.record,
    call.release,
    scope.types && query.types.length === 0 ? { ...query, types: scope.types } : query,
    scope.criteria,
  );
  const applied = new URLSearchParams(query.applied).toString();
  const selfUrl =
    token === null ? pageUrl(call, scope.address, applied) : pageUrl(call, scope.address, `${pageParameter}=${token}`);
  const { result } = query;
  if (result.summary === 'count' || result.count === 0) {
    return {
      status: 200,
      body: new BundleText(
        'searchset',
        [{ relation: 'self', url: selfUrl }],
        await countMatching(call.record, filter),
      ).end(),
    };
  }
  const asksTotal = state === undefined && (result.total === 'accurate' || result.total === 'estimate');
  const count = Math.min(result.count ?? defaultCount, mostCount);
  const updatedLast = new UpdatedLast(result.sort, state?.updated);
  const whole = await findPage(call.record, updatedLast.filter(filter), {
    sort: updatedLast.sort,
    count,
    after: state?.place,
    total: asksTotal,
  });
  const total = state ? state.total : totalOf(query, whole);
  const { page, drawnIn } = await withIncludes(call, result, whole);
  const following = await updatedLast.next(call.record, filter, page);
  const next =
    following &&
    pageUrl(
      call,
      scope.address,
      `${pageParameter}=${call.pages.seal({ query: applied, total, ...following } satisfies PageState, call.record.userId, addressOf(call, scope))}`,
    );
  const links = [
    { relation: 'self' as const, url: selfUrl },
    ...(next === undefined ? [] : [{ relation: 'next' as const, url: next }]),
  ];
  const shown =
    result.contained === 'false' ? { matches: page.matches, contained: [] } : containedPage(query, page.matches);
  return { status: 200, body: searchset(call, query, { ...shown, drawnIn, links, total }) };
}

/** How many match in all, if it was asked for or is known anyway: the first page may hold everything. */
function totalOf(
  { result }: SearchQuery,
  page: { matches: readonly unknown[]; next: unknown; total: number | undefined },
): number | undefined {
  if (result.total === 'none') return undefined;
  return page.total ?? (page.next === undefined ? page.matches.length : undefined);
}

function addressOf({ release }: Call, { address }: SearchScope): string {
  return `${release}/${address}`;
}
