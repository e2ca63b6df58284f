import { type JsonValue, type Resource, isJsonObject } from '@tributary/fhir-json';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { badRequest } from '../../fhir-http/fhir-error';
import { isStrict } from '../../fhir-http/prefer-header';
import { BundleWriter, pageUrl } from '../../fhir-http/bundle-writer';
import type { SearchMatch } from '../search/evaluate/search-match';
import { readSearch } from '../search/evaluate/read-search';
import { matching, resolveSearch } from '../search/evaluate/evaluate-search';
import { SearchsetEntries } from '../search/render/searchset-entries';

interface DatedMatch {
  readonly found: SearchMatch;
  readonly date: string | number;
}

interface Group {
  latest: DatedMatch[];
}

/**
 * `GET /{release}/Observation/$lastn`: the latest `max` observations of each code, 1 by default
 * (https://hl7.org/fhir/R4/observation-operation-lastn.html). The codings of one observation are equivalent codes.
 * @throws FhirError 400 for an invalid `max`; SearchError for an unsupported search parameter in strict handling
 */
export async function lastn(request: FhirRequest, input: URLSearchParams): Promise<FhirResponse> {
  const max = input.get('max') ?? '1';
  if (!/^[1-9]\d{0,5}$/.test(max)) throw badRequest('max takes a positive whole number', 'value');
  const pairs = [...input].filter(([name]) => name !== 'max' && name !== '_sort');
  const query = await readSearch(request, 'Observation', [...pairs, ['_sort', '-date']], { strict: isStrict(request) });
  const [byDate] = query.result.sort;
  const groups = new Map<string, Group>();
  for await (const found of matching(request.record, await resolveSearch(request.record, request.release, query))) {
    keepLatest(
      groupOf(groups, found.resource),
      { found, date: byDate?.valueOf(found.resource) ?? -Infinity },
      Number(max),
    );
  }
  const latest = [...new Set(groups.values())].flatMap((group) =>
    group.latest.toSorted(latestFirst).slice(0, Number(max)),
  );
  const applied = new URLSearchParams([...query.applied.filter(([name]) => name !== '_sort'), ['max', max]]).toString();
  const bundle = new BundleWriter(
    'searchset',
    [{ relation: 'self', url: pageUrl(request, 'Observation/$lastn', applied) }],
    latest.length,
  );
  const entries = new SearchsetEntries(request, bundle, {});
  entries.addIgnored(query.ignored);
  for (const { found } of latest) entries.add(found, 'match');
  const parameters = query.applied.map(([name]) => name);
  return { status: 200, body: entries.end(), access: { counts: bundle.counts, parameters } };
}

function keepLatest(group: Group, dated: DatedMatch, max: number): void {
  group.latest.push(dated);
  if (group.latest.length > 2 * max) group.latest = group.latest.toSorted(latestFirst).slice(0, max);
}

function latestFirst(a: DatedMatch, b: DatedMatch): number {
  return a.date === b.date ? 0 : a.date > b.date ? -1 : 1;
}

/** The group of an observation by any of its codes. An observation with codes of several groups unites these groups. */
function groupOf(groups: Map<string, Group>, observation: Resource): Group {
  const keys = codeKeys(observation['code']);
  const known = [...new Set(keys.flatMap((key) => groups.get(key) ?? []))];
  const [group = { latest: [] }, ...joined] = known;
  for (const other of joined) {
    group.latest.push(...other.latest);
    for (const [key, value] of groups) if (value === other) groups.set(key, group);
  }
  for (const key of keys) groups.set(key, group);
  return group;
}

function codeKeys(code: JsonValue | undefined): string[] {
  if (!isJsonObject(code)) return [''];
  const codings = Array.isArray(code['coding']) ? code['coding'] : [];
  const keys = codings.flatMap((coding) =>
    isJsonObject(coding) && typeof coding['code'] === 'string'
      ? [`${typeof coding['system'] === 'string' ? coding['system'] : ''}|${coding['code']}`]
      : [],
  );
  return keys.length > 0 ? keys : [`text ${typeof code['text'] === 'string' ? code['text'] : ''}`];
}
