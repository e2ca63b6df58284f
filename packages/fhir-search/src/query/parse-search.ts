import { isResourceType, resourceTypes, searchParameters, type Release } from '@tributary/fhir-definitions';
import { SearchError } from '../search-error';
import { releaseTerminology } from '../terminology/terminology';
import { emptySearch, parseFilter, UnknownParameterError, type FilterScope } from './parse-filter';
import { isResultParameter, noResultParameters, parseResultParameter } from './result-parameters';
import { assertPairsWithinLimits, assertQueryWithinLimits } from './search-limits';
import type { IgnoredParameter, SearchOptions, SearchPairs, SearchQuery } from './search-query';

/** Parameters that the HTTP layer handles. */
const httpParameters: ReadonlySet<string> = new Set(['_format', '_pretty']);

/**
 * Parses a search on a type, or on all types (`type` undefined; `_type` can restrict them):
 * https://hl7.org/fhir/R4/search.html.
 * @throws SearchError for an invalid value or modifier and for a search that exceeds `searchLimits`; with `strict` also
 * for an unknown parameter, with `criteriaOnly` also for a parameter for the result
 */
export function parseSearch(
  release: Release,
  type: string | undefined,
  pairs: SearchPairs,
  options: SearchOptions = {},
): SearchQuery {
  const all = [...pairs].filter(([key]) => !httpParameters.has(key));
  assertPairsWithinLimits(all);
  const types = type === undefined ? typesOfSystemSearch(release, all) : [type];
  if (type !== undefined && !isResourceType(release, type))
    throw new SearchError(type, 'invalid', `there is no resource type ${type}`);
  const scope: FilterScope = {
    release,
    types,
    baseUrl: options.baseUrl?.replace(/\/$/, ''),
    now: options.now ?? Date.now(),
    terminology: options.terminology ?? releaseTerminology(release),
    nearDistance: all.find(([key]) => key === 'near-distance')?.[1],
  };
  const search = emptySearch(types);
  const result = noResultParameters();
  const applied: [string, string][] = [];
  const ignored: IgnoredParameter[] = [];
  const unknown = (parameter: string, reason: string): void => {
    if (options.strict) throw new SearchError(parameter, 'not-supported', reason);
    ignored.push({ parameter, reason });
  };

  const parsePair = (key: string, value: string): void => {
    if (key === '_query') throw new SearchError(key, 'not-supported', 'named queries are not supported');
    if (options.criteriaOnly && isResultParameter(key))
      throw new SearchError(key, 'not-supported', `${key} is for the result of a search, and selects no resources`);
    if (value.trim() === '') return unknown(key, 'it has no value');
    const ofResult = parseResultParameter(result, key, value, {
      release,
      types,
      inR4: options.inR4 ?? false,
      unknown,
    });
    if (ofResult !== undefined) {
      if (ofResult !== '') applied.push([key, ofResult]);
      return;
    }
    try {
      if (!isHandledElsewhere(key, type, all)) parseFilter(scope, key, value, search);
      applied.push([key, value]);
    } catch (error) {
      if (!(error instanceof UnknownParameterError)) throw error;
      if (types.length !== 1 && isOfSomeType(release, types, key))
        throw new SearchError(
          key,
          'invalid',
          'a search over several types takes only parameters that all of them have; name the types in _type',
        );
      unknown(key, error.message);
    }
  };

  for (const [key, value] of all) parsePair(key, value);

  const query: SearchQuery = { ...search, release, result, applied, ignored };
  assertQueryWithinLimits(query);
  return query;
}

/**
 * Whether any of the types has the parameter. Such a parameter is not ignored, since a search without it would return
 * the whole record.
 */
function isOfSomeType(release: Release, types: readonly string[], key: string): boolean {
  const name = /^[^.:]*/.exec(key)?.[0] ?? '';
  return (types.length > 0 ? types : resourceTypes(release)).some((type) => searchParameters(release, type).has(name));
}

/** `_type` of a search on all types, and `near-distance` beside `near`, are not parameters of their own. */
function isHandledElsewhere(
  key: string,
  type: string | undefined,
  all: readonly (readonly [string, string])[],
): boolean {
  if (key === '_type') return type === undefined;
  return key === 'near-distance' && all.some(([other]) => other === 'near');
}

function typesOfSystemSearch(release: Release, pairs: readonly (readonly [string, string])[]): string[] {
  const names = pairs
    .filter(([key]) => key === '_type')
    .flatMap(([, value]) => value.split(',').map((name) => name.trim()));
  const wrong = names.find((name) => !isResourceType(release, name));
  if (wrong !== undefined) throw new SearchError('_type', 'invalid', `there is no resource type ${wrong}`);
  return [...new Set(names)];
}
