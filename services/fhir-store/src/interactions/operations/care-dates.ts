import { type Release, searchParameters } from '@tributary/fhir-definitions';
import { type Criterion, parseSearch } from '@tributary/fhir-search';
import type { SearchMatch } from '../search/evaluate/search-match';

/** The search parameters for the date of care. The first one that a type supports is used. */
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
];

/** A filter by a range of dates of care. A resource without such a date passes. */
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
  const parameters = searchParameters(release, type);
  const code = codes.find((each) => parameters.get(each)?.type === 'date');
  if (code === undefined) return undefined;
  const pairs: [string, string][] = [[`${code}:missing`, 'true']];
  if (start !== undefined) pairs.push([code, `ge${start}`]);
  if (end !== undefined) pairs.push([code, `le${end}`]);
  return parseSearch(release, type, pairs).criteria;
}
