import { type Release, perRelease, resourceTypes, searchParameters } from '@tributary/fhir-definitions';
import { type Criterion, parseSearch } from '@tributary/fhir-search';
import type { SearchMatch } from '../search/evaluate/search-match';

/** The search parameters for the date of care, most important first. */
const codes = [
  'date',
  'period',
  'onset-date',
  'onset',
  'performed',
  'effective',
  'effectivedate',
  'effective-time',
  'effectivetime',
  'authoredon',
  'authored',
  'datewritten',
  'whenhandedover',
  'issued',
  'started',
  'start',
  'recorded-date',
  'asserted-date',
  'created',
  'collected',
  'date-recorded',
  'indexed',
];

function codesOf(release: Release, type: string): string[] {
  const parameters = searchParameters(release, type);
  return codes.filter((code) => parameters.get(code)?.type === 'date');
}

/** The ranges of the index that hold the dates of care, by type: the first one that a resource has counts. */
export const careDateRanges = perRelease(
  (release): ReadonlyMap<string, readonly string[]> =>
    new Map(resourceTypes(release).map((type) => [type, rangesOf(release, type)])),
);

function rangesOf(release: Release, type: string): string[] {
  const { sort } = parseSearch(release, type, [['_sort', codesOf(release, type).join()]]).result;
  return sort.flatMap(({ by }) => (by.kind === 'range' ? by.name : []));
}

/**
 * A filter by a range of dates of care, of the first parameter that a type supports. A resource without such a date
 * passes.
 */
export function careDates(
  release: Release,
  start: string | undefined,
  end: string | undefined,
): (found: SearchMatch) => boolean {
  const byType = new Map<string, readonly Criterion[] | undefined>();
  return ({ resource }) => {
    const type = resource.resourceType;
    if (!byType.has(type)) byType.set(type, criteriaOf(release, type, start, end));
    const [missing, ...bounds] = byType.get(type) ?? [];
    return missing === undefined || missing.matches(resource) || bounds.every((bound) => bound.matches(resource));
  };
}

function criteriaOf(
  release: Release,
  type: string,
  start: string | undefined,
  end: string | undefined,
): readonly Criterion[] | undefined {
  const [code] = codesOf(release, type);
  if (code === undefined) return undefined;
  const pairs: [string, string][] = [[`${code}:missing`, 'true']];
  if (start !== undefined) pairs.push([code, `ge${start}`]);
  if (end !== undefined) pairs.push([code, `le${end}`]);
  return parseSearch(release, type, pairs).criteria;
}
