import { isResourceType, searchParameters, type Release } from '@tributary/fhir-definitions';
import { SearchError } from '../search-error';
import { similarNames } from './similar-names';
import { sortKey, type SortKey } from './sort';

const totals = ['none', 'estimate', 'accurate'] as const;
const summaries = ['true', 'text', 'data', 'count', 'false'] as const;
const containments = ['false', 'true', 'both'] as const;
const releasesPerSource = ['newest'] as const;
const containedTypes = ['container', 'contained'] as const;

/** An `_include` or `_revinclude`: https://hl7.org/fhir/R4/search.html#include. */
export interface Include {
  /** The type that has the reference, or `*`. */
  source: string;
  /** The reference parameter, or `*`. */
  parameter: string;
  /** Only references to this type. */
  target?: string;
  /** Whether references of included resources are followed, too. */
  iterate: boolean;
}

/** The search result parameters: https://hl7.org/fhir/R4/search.html. */
export interface ResultParameters {
  sort: SortKey[];
  count?: number;
  total?: (typeof totals)[number];
  summary?: (typeof summaries)[number];
  elements?: string[];
  include: Include[];
  revinclude: Include[];
  contained: (typeof containments)[number];
  containedType: (typeof containedTypes)[number];
  /** `newest`: only resources of the newest release in which the record has their health system. */
  releasePerSource?: (typeof releasesPerSource)[number];
}

/** The context in which result parameters are parsed. */
export interface ResultScope {
  release: Release;
  types: readonly string[];
  /** Whether the resources are shown in R4, whatever their release. */
  inR4: boolean;
  /** Receives what is ignored, such as an unknown sort key. */
  unknown(parameter: string, reason: string): void;
}

/** Returns the part of the value that is applied; empty when nothing is. */
type Parser = (result: ResultParameters, value: string, key: string, scope: ResultScope) => string;

const parsers = new Map<string, Parser>(
  Object.entries({
    _sort(result, value, key, scope) {
      // DSTU2 has _sort:desc=date, later releases _sort=-date.
      const descendingAll = key.endsWith(':desc');
      const applied = value.split(',').filter((part) => {
        const descending = part.startsWith('-') || descendingAll;
        const code = part.replace(/^[-+ ]/, '');
        const found = sortKey(scope.release, scope.types, code, descending);
        if (found) result.sort.push(found);
        else scope.unknown(key, `cannot sort by ${code}${similarNames(scope.release, scope.types, code)}`);
        return found !== undefined;
      });
      return applied.join(',');
    },
    _count(result, value, key) {
      if (!/^\d{1,9}$/.test(value)) throw new SearchError(key, 'invalid', '_count takes a whole number');
      result.count = Number(value);
      return value;
    },
    _total(result, value, key) {
      result.total = oneOf(totals, value, key);
      return value;
    },
    _summary(result, value, key) {
      result.summary = oneOf(summaries, value, key);
      return value;
    },
    _elements(result, value) {
      result.elements = [
        ...(result.elements ?? []),
        ...value
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
      ];
      return value;
    },
    _include(result, value, key, scope) {
      result.include.push(parseInclude(value, key, scope));
      return value;
    },
    _revinclude(result, value, key, scope) {
      result.revinclude.push(parseInclude(value, key, scope));
      return value;
    },
    _contained(result, value, key) {
      result.contained = oneOf(containments, value, key);
      return value;
    },
    _containedType(result, value, key) {
      result.containedType = oneOf(containedTypes, value, key);
      return value;
    },
    _releasePerSource(result, value, key, scope) {
      const wanted = oneOf(releasesPerSource, value, key);
      if (!scope.inR4) {
        scope.unknown(key, 'it is a parameter of searches with fhirVersion=4.0');
        return '';
      }
      result.releasePerSource = wanted;
      return value;
    },
  } satisfies Record<string, Parser>),
);

const modifiersOf: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    _sort: ['asc', 'desc'],
    _include: ['iterate', 'recurse'],
    _revinclude: ['iterate', 'recurse'],
  }),
);

/** The defaults of a search without result parameters. */
export function noResultParameters(): ResultParameters {
  return { sort: [], include: [], revinclude: [], contained: 'false', containedType: 'container' };
}

/** Whether a parameter is for the result of a search, such as `_sort:desc`, and selects no resources. */
export function isResultParameter(key: string): boolean {
  return parsers.has(key.split(':')[0] ?? '');
}

/**
 * Parses a search result parameter into `result`.
 * @returns the part of the value that is applied, empty when nothing is; undefined when the parameter is not one
 * @throws SearchError when its value or modifier is invalid
 */
export function parseResultParameter(
  result: ResultParameters,
  key: string,
  value: string,
  scope: ResultScope,
): string | undefined {
  const [name = '', modifier] = key.split(':');
  const read = parsers.get(name);
  if (!read) return undefined;
  if (modifier !== undefined && !modifiersOf.get(name)?.includes(modifier)) {
    throw new SearchError(key, 'not-supported', `the modifier :${modifier} is not supported for ${name}`);
  }
  return read(result, value, key, scope);
}

function oneOf<T extends string>(allowed: readonly T[], value: string, key: string): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new SearchError(key, 'invalid', `${key} takes one of ${allowed.join(', ')}`);
  return found;
}

function parseInclude(value: string, key: string, { release }: ResultScope): Include {
  const iterate = key.includes(':');
  if (value === '*') return { source: '*', parameter: '*', iterate };
  const [source = '', parameter = '', target, ...rest] = value.split(':');
  if (rest.length > 0 || !isResourceType(release, source))
    throw new SearchError(key, 'invalid', `${key} takes Type:parameter or Type:parameter:TargetType`);
  if (parameter !== '*' && searchParameters(release, source).get(parameter)?.type !== 'reference') {
    throw new SearchError(key, 'invalid', `${source} has no reference parameter ${parameter}`);
  }
  if (target !== undefined && target !== '' && !isResourceType(release, target))
    throw new SearchError(key, 'invalid', `there is no resource type ${target}`);
  return { source, parameter, iterate, ...(target !== undefined && target !== '' && { target }) };
}
