import { isResourceType } from '@tributary/fhir-definitions';
import { type Condition, SearchError } from '@tributary/fhir-search';
import { typeCodeOf } from '@tributary/record-storage';
import { z } from 'zod';
import type { Answer } from '../../fhir-http/fhir-response';
import type { Call } from '../../fhir-http/fhir-request';
import { badRequest, notFound } from '../../fhir-http/fhir-error';
import { isStrict } from '../../fhir-http/prefer-header';
import { pageParameter } from '../../fhir-http/page-tokens';
import { isResourceId } from '../../resources/resource-id';
import { BundleText, pageUrl } from '../../fhir-http/bundle-writer';
import { dateParameter } from '../../fhir-http/date-parameter';
import { membersOf } from '../search/compartment';
import { type Filter, filterOf, kindsOf } from '../search/search-filter';
import { findPage } from '../search/find-page';
import { type Found, searchPlace } from '../search/search-match';
import { matching } from '../search/resolve-subqueries';
import { SearchsetEntries } from '../search/searchset-entries';
import { careDates } from './care-dates';
import { referredState, referredTo } from './referenced-resources';

/** First the members of the compartment page by page, then what they refer to: Practitioners, Organizations, Medications. */
const pageState = z.object({ query: z.string(), members: searchPlace.optional(), referred: referredState.optional() });
type PageState = z.infer<typeof pageState>;

const mostCount = 1000;
const known = ['_type', '_since', 'start', 'end', '_count'];
const ofTheTransport = ['_format', '_pretty', pageParameter];

/** `GET /{release}/Patient/{id}/$everything`: the patient's compartment and what it refers to, paged. */
export async function everythingOfPatient(call: Call, id: string, input: URLSearchParams): Promise<Answer> {
  if (
    !isResourceId(id) ||
    (await call.record.heads([{ typeCode: typeCodeOf(call.release, 'Patient'), id }])).length === 0
  )
    throw notFound('Patient');
  return everything(call, [id], `Patient/${id}/$everything`, input);
}

/** `GET /{release}/Patient/$everything`: the same for all patients of the record. */
export async function everythingOfPatients(call: Call, input: URLSearchParams): Promise<Answer> {
  const ids: string[] = [];
  for await (const { id } of matching(call.record, await filterOf(call.record, call.release, ['Patient'], [])))
    ids.push(id);
  return everything(call, ids, 'Patient/$everything', input);
}

async function everything(
  call: Call,
  ids: readonly string[],
  address: string,
  input: URLSearchParams,
): Promise<Answer> {
  const token = input.get(pageParameter);
  const unknown = isStrict(call)
    ? [...input.keys()].find((name) => !known.includes(name) && !ofTheTransport.includes(name))
    : undefined;
  if (unknown !== undefined) throw new SearchError(unknown, 'not-supported', '$everything has no such parameter');
  const state =
    token === null ? undefined : call.pages.open(token, call.record.userId, `${call.release}/${address}`, pageState);
  const query = state
    ? new URLSearchParams(state.query)
    : new URLSearchParams([...input].filter(([name]) => known.includes(name)));
  const selection = readSelection(call, query);
  const members = await membersFilter(call, ids, selection);
  const allMembers = await membersFilter(call, ids, {
    ...selection,
    types: [],
    since: undefined,
    wantsDate: undefined,
  });
  const page = await onePage(call, selection, members, allMembers, state);
  const next =
    page.next &&
    call.pages.seal(
      { query: query.toString(), ...page.next } satisfies PageState,
      call.record.userId,
      `${call.release}/${address}`,
    );
  const bundle = new BundleText('searchset', [
    { relation: 'self', url: pageUrl(call, address, token === null ? query.toString() : `${pageParameter}=${token}`) },
    ...(next === undefined
      ? []
      : [{ relation: 'next' as const, url: pageUrl(call, address, `${pageParameter}=${next}`) }]),
  ]);
  const entries = new SearchsetEntries(call, bundle, {});
  for (const found of page.found) entries.add(found, 'match');
  return { status: 200, body: entries.end() };
}

interface Selection {
  /** Empty: all. */
  readonly types: readonly string[];
  readonly since: number | undefined;
  readonly wantsDate: ((found: Found) => boolean) | undefined;
  readonly count: number;
}

function readSelection(call: Call, query: URLSearchParams): Selection {
  const [since, start, end, count] = [
    query.get('_since'),
    query.get('start'),
    query.get('end'),
    query.get('_count') ?? String(mostCount),
  ];
  if (!/^[1-9]\d{0,8}$/.test(count)) throw badRequest('_count takes a positive whole number', 'value');
  const types = query
    .getAll('_type')
    .flatMap((text) => text.split(','))
    .filter((type) => type !== '');
  const wrong = types.find((type) => !isResourceType(call.release, type));
  if (wrong !== undefined) throw new SearchError('_type', 'invalid', `there is no resource type ${wrong}`);
  for (const [name, date] of [
    ['start', start],
    ['end', end],
  ] as const)
    if (date !== null) dateParameter(name, date);
  return {
    types,
    since: since === null ? undefined : dateParameter('_since', since).low,
    wantsDate:
      start === null && end === null ? undefined : careDates(call.release, start ?? undefined, end ?? undefined),
    count: Math.min(Number(count), mostCount),
  };
}

async function membersFilter(
  { release, record }: Call,
  ids: readonly string[],
  { types, since, wantsDate }: Selection,
): Promise<Filter> {
  const members = membersOf(release, 'Patient', ids);
  const wanted = types.length === 0 ? members.types : members.types.filter((type) => types.includes(type));
  const filter = await filterOf(record, release, members.types, members.criteria);
  const updated: Condition[] = since === undefined ? [] : [{ op: 'last-updated', ge: since }];
  const matches = filter.matches;
  return {
    ...filter,
    typeCodes: wanted.length === 0 ? [] : kindsOf(release, wanted),
    where: { op: 'and', of: [filter.where, ...updated] },
    matches: matches || wantsDate ? (found) => (matches?.(found) ?? true) && (wantsDate?.(found) ?? true) : undefined,
  };
}

async function onePage(
  call: Call,
  selection: Selection,
  members: Filter,
  allMembers: Filter,
  state: PageState | undefined,
): Promise<{ found: Found[]; next: Omit<PageState, 'query'> | undefined }> {
  const found: Found[] = [];
  if (state?.referred === undefined) {
    const page = await findPage(call.record, members, {
      sort: [],
      count: selection.count,
      after: state?.members,
      total: false,
    });
    found.push(...page.matches);
    if (page.next) return { found, next: { members: page.next } };
  }
  const referred = await referredTo(call, allMembers, {
    types: selection.types,
    since: selection.since,
    state: state?.referred,
    limit: selection.count - found.length,
  });
  found.push(...referred.found);
  return { found, next: referred.next && { referred: referred.next } };
}
