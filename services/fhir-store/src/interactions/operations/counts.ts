import { SearchError, indexValues } from '@tributary/fhir-search';
import { type JsonObject, type Resource, stringifyJson } from '@tributary/fhir-json';
import { typeCodeOf, typeOfCode } from '@tributary/record-storage';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import { matching } from '../search/evaluate/evaluate-search';
import { ofNewestRelease } from '../search/evaluate/newest-release';
import { type Filter, filterOf } from '../search/evaluate/search-filter';
import { careDateRanges } from './care-dates';
import { assertKnown } from './parameters';

const releasePerSource = '_releasePerSource';
const dayMs = 86_400_000;

/** The numbers of resources of a type by the year of care; undefined for those without a date of care. */
type CountsByYear = Map<number | undefined, number>;

/**
 * `GET /{release}/$counts`: the numbers of current resources by type and by year of care, in UTC.
 * `_releasePerSource=newest` leaves out what the record also has in a newer release of its health system.
 * @throws SearchError for an invalid parameter
 */
export async function counts(request: FhirRequest): Promise<FhirResponse> {
  const { record, release, query } = request;
  assertKnown(request, '$counts', query, [releasePerSource]);
  const wanted = query.get(releasePerSource);
  if (wanted !== null && wanted !== 'newest')
    throw new SearchError(releasePerSource, 'invalid', `${releasePerSource} takes one of newest`);
  const all = await filterOf(record, release, [], []);
  const filter = wanted === null ? all : await ofNewestRelease(request, all);
  const counted = filter.matches || !filter.isIndexCurrent ? await onContent(request, filter) : await byIndex(request);
  const parameters = wanted === null ? [] : [releasePerSource];
  return { status: 200, body: parametersOf(counted), access: { parameters } };
}

async function byIndex({ record, release }: FhirRequest): Promise<Map<string, CountsByYear>> {
  const types = [...careDateRanges(release)].map(([type, dates]) => ({ typeCode: typeCodeOf(release, type), dates }));
  const counted = new Map<string, CountsByYear>();
  for (const { typeCode, day, count } of await record.search.countByDay(types))
    add(counted, typeOfCode(typeCode), day, count);
  return counted;
}

/** Where the index does not decide, as in a search. */
async function onContent({ record, release }: FhirRequest, filter: Filter): Promise<Map<string, CountsByYear>> {
  const ranges = careDateRanges(release);
  const dayOf = (resource: Resource): number | undefined => {
    const values = indexValues(release, resource).ranges;
    const lows = ranges.get(resource.resourceType)?.map((range) => values.find(({ name }) => name === range)?.low);
    const low = lows?.find((each) => each !== undefined && each !== -Infinity);
    return low === undefined ? undefined : Math.floor(low / dayMs);
  };
  const counted = new Map<string, CountsByYear>();
  for await (const { resource } of matching(record, filter)) add(counted, resource.resourceType, dayOf(resource), 1);
  return counted;
}

function add(counted: Map<string, CountsByYear>, type: string, day: number | undefined, count: number): void {
  const year = day === undefined ? undefined : new Date(day * dayMs).getUTCFullYear();
  const years = counted.get(type) ?? new Map<number | undefined, number>();
  counted.set(type, years.set(year, (years.get(year) ?? 0) + count));
}

/** A Parameters resource: types in the order of their names, years ascending, what has no year last. */
function parametersOf(counted: ReadonlyMap<string, CountsByYear>): string {
  const parameter = [...counted]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([type, years]) =>
      [...years]
        .toSorted(([one = Infinity], [other = Infinity]) => one - other)
        .map(([year, value]): JsonObject => ({
          name: 'count',
          part: [
            { name: 'type', valueCode: type },
            ...(year === undefined ? [] : [{ name: 'year', valueInteger: year }]),
            { name: 'value', valueInteger: value },
          ],
        })),
    );
  return stringifyJson({ resourceType: 'Parameters', ...(parameter.length > 0 ? { parameter } : {}) });
}
