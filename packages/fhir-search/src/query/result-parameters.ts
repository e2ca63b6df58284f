import { isResourceType, searchParameters, type Release } from '@tributary/fhir-definitions';
import { SearchError } from '../search-error';
import { sortKey, type SortKey } from './sort';

const totals = ['none', 'estimate', 'accurate'] as const;
const summaries = ['true', 'text', 'data', 'count', 'false'] as const;
const containments = ['false', 'true', 'both'] as const;
const containedTypes = ['container', 'contained'] as const;

/** `_include` or `_revinclude`: which references to follow. */
export interface Include {
  /** The type that holds the reference, or `*`. */
  source: string;
  /** The reference parameter, or `*`. */
  parameter: string;
  /** Only references to this type. */
  target?: string;
  /** Also from resources that were themselves included. */
  iterate: boolean;
}

/** What a search says about its answer. */
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
}

export interface ResultScope {
  release: Release;
  types: readonly string[];
  /** Told of a part of a value that cannot be used, such as an unknown sort key. */
  unknown(parameter: string, reason: string): void;
}

type Reader = (result: ResultParameters, value: string, key: string, scope: ResultScope) => void;

const readers = new Map<string, Reader>(
  Object.entries({
    _sort(result, value, key, scope) {
      // dstu2 writes _sort:desc=date where later releases write _sort=-date.
      const descendingAll = key.endsWith(':desc');
      for (const part of value.split(',')) {
        const descending = part.startsWith('-') || descendingAll;
        const code = part.replace(/^[-+ ]/, '');
        const found = sortKey(scope.release, scope.types, code, descending);
        if (found) result.sort.push(found);
        else scope.unknown(key, `cannot sort by ${code}`);
      }
    },
    _count(result, value, key) {
      if (!/^\d{1,9}$/.test(value)) throw new SearchError(key, 'invalid', '_count takes a whole number');
      result.count = Number(value);
    },
    _total(result, value, key) {
      result.total = oneOf(totals, value, key);
    },
    _summary(result, value, key) {
      result.summary = oneOf(summaries, value, key);
    },
    _elements(result, value) {
      result.elements = [
        ...(result.elements ?? []),
        ...value
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
      ];
    },
    _include(result, value, key, scope) {
      result.include.push(readInclude(value, key, scope));
    },
    _revinclude(result, value, key, scope) {
      result.revinclude.push(readInclude(value, key, scope));
    },
    _contained(result, value, key) {
      result.contained = oneOf(containments, value, key);
    },
    _containedType(result, value, key) {
      result.containedType = oneOf(containedTypes, value, key);
    },
  } satisfies Record<string, Reader>),
);

const modifiersOf: Record<string, readonly string[]> = {
  _sort: ['asc', 'desc'],
  _include: ['iterate', 'recurse'],
  _revinclude: ['iterate', 'recurse'],
};

export function noResultParameters(): ResultParameters {
  return { sort: [], include: [], revinclude: [], contained: 'false', containedType: 'container' };
}

/** Takes a parameter that is about the answer; false when it is not one. */
export function readResultParameter(result: ResultParameters, key: string, value: string, scope: ResultScope): boolean {
  const [name = '', modifier] = key.split(':');
  const read = readers.get(name);
  if (!read) return false;
  if (modifier !== undefined && !modifiersOf[name]?.includes(modifier)) {
    throw new SearchError(key, 'not-supported', `the modifier :${modifier} is not supported for ${name}`);
  }
  read(result, value, key, scope);
  return true;
}

function oneOf<T extends string>(allowed: readonly T[], value: string, key: string): T {
  const found = allowed.find((each) => each === value);
  if (found === undefined) throw new SearchError(key, 'invalid', `${key} takes one of ${allowed.join(', ')}`);
  return found;
}

function readInclude(value: string, key: string, { release }: ResultScope): Include {
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
