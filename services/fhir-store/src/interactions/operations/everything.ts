import { isResourceType } from '@tributary/fhir-definitions';
import { type Condition, SearchError } from '@tributary/fhir-search';
import { typeCodeOf, isResourceId } from '@tributary/record-storage';
import { z } from 'zod';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { badRequest, notFound } from '../../fhir-http/fhir-error';
import { BundleWriter } from '../../fhir-http/bundle-writer';
import { Paging } from '../../fhir-http/paging';
import { dateParameter } from '../../fhir-http/date-parameter';
import { membersOf } from '../search/parse/search-scope';
import { type Filter, filterOf, typeCodesOf } from '../search/evaluate/search-filter';
import { findPage } from '../search/page/find-page';
import type { SearchMatch } from '../search/evaluate/search-match';
import { pagePosition } from '../search/page/match-page';
import { matching } from '../search/evaluate/evaluate-search';
import { SearchsetEntries } from '../search/render/searchset-entries';
import { careDates } from './care-dates';
import { assertKnown } from './parameters';
import { referencedState, referencedResources } from './referenced-resources';

/**
 * The state of a paging link. Pages contain first the members of the compartment, then the resources to which the
 * members refer.
 */
const pageState = z.object({
  query: z.string(),
  members: pagePosition.optional(),
  referred: referencedState.optional(),
});
type PageState = z.infer<typeof pageState>;

const maxCount = 1000;
const known = ['_type', '_since', 'start', 'end', '_count'];

/**
 * `GET /{release}/Patient/{id}/$everything`: one page of the patient's compartment and of the resources to which its
 * members refer (https://hl7.org/fhir/R4/patient-operation-everything.html).
 * @throws FhirError 404 without the patient, 400 for an invalid parameter, 410 for an outdated paging link
 */
export async function everythingOfPatient(
  request: FhirRequest,
  id: string,
  input: URLSearchParams,
): Promise<FhirResponse> {
  if (
    !isResourceId(id) ||
    (await request.record.currentVersions([{ typeCode: typeCodeOf(request.release, 'Patient'), id }])).length === 0
  )
    throw notFound('Patient');
  return everything(request, [id], `Patient/${id}/$everything`, input);
}

/** `GET /{release}/Patient/$everything`: the same operation for all patients of the record. */
export async function everythingOfPatients(request: FhirRequest, input: URLSearchParams): Promise<FhirResponse> {
  const ids: string[] = [];
  for await (const { id } of matching(request.record, await filterOf(request.record, request.release, ['Patient'], [])))
    ids.push(id);
  return everything(request, ids, 'Patient/$everything', input);
}

async function everything(
  request: FhirRequest,
  ids: readonly string[],
  address: string,
  input: URLSearchParams,
): Promise<FhirResponse> {
  const paging = new Paging(request, address, pageState, input);
  const { state } = paging;
  assertKnown(request, '$everything', input, known);
  const query = state
    ? new URLSearchParams(state.query)
    : new URLSearchParams([...input].filter(([name]) => known.includes(name)));
  const selection = readSelection(request, query);
  const members = await membersFilter(request, ids, selection);
  const allMembers = await membersFilter(request, ids, {
    ...selection,
    types: [],
    since: undefined,
    wantsDate: undefined,
  });
  const page = await onePage(request, selection, members, allMembers, state);
  const bundle = new BundleWriter('searchset', [
    paging.self(query.toString()),
    ...paging.linkTo('next', page.next && { query: query.toString(), ...page.next }),
  ]);
  const entries = new SearchsetEntries(request, bundle, {});
  for (const found of page.found) entries.add(found, 'match');
  return { status: 200, body: entries.end(), access: { counts: bundle.counts, parameters: [...query.keys()] } };
}

interface Selection {
  /** All types when empty. */
  readonly types: readonly string[];
  readonly since: number | undefined;
  readonly wantsDate: ((found: SearchMatch) => boolean) | undefined;
  readonly count: number;
}

function readSelection(request: FhirRequest, query: URLSearchParams): Selection {
  const [since, start, end, count] = [
    query.get('_since'),
    query.get('start'),
    query.get('end'),
    query.get('_count') ?? String(maxCount),
  ];
  if (!/^[1-9]\d{0,8}$/.test(count)) throw badRequest('_count takes a positive whole number', 'value');
  const types = query
    .getAll('_type')
    .flatMap((text) => text.split(','))
    .filter((type) => type !== '');
  const wrong = types.find((type) => !isResourceType(request.release, type));
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
      start === null && end === null ? undefined : careDates(request.release, start ?? undefined, end ?? undefined),
    count: Math.min(Number(count), maxCount),
  };
}

async function membersFilter(
  { release, record }: FhirRequest,
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
    typeCodes: wanted.length === 0 ? [] : typeCodesOf(release, wanted),
    where: { op: 'and', of: [filter.where, ...updated] },
    matches: matches || wantsDate ? (found) => (matches?.(found) ?? true) && (wantsDate?.(found) ?? true) : undefined,
  };
}

async function onePage(
  request: FhirRequest,
  selection: Selection,
  members: Filter,
  allMembers: Filter,
  state: PageState | undefined,
): Promise<{ found: SearchMatch[]; next: Omit<PageState, 'query'> | undefined }> {
  const found: SearchMatch[] = [];
  if (state?.referred === undefined) {
    const page = await findPage(request.record, members, {
      sort: [],
      count: selection.count,
      maxBytes: request.contentLimits.pageBytes,
      direction: 'forward',
      after: state?.members,
      total: false,
    });
    found.push(...page.matches);
    if (page.next) return { found, next: { members: page.next } };
  }
  const referred = await referencedResources(request, allMembers, {
    types: selection.types,
    since: selection.since,
    state: state?.referred,
    limit: selection.count - found.length,
  });
  found.push(...referred.found);
  return { found, next: referred.next && { referred: referred.next } };
}
