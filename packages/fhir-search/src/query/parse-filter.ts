import { isResourceType, type Release } from '@tributary/fhir-definitions';
import { isLogicalId } from '@tributary/fhir-json';
import { fullTextCriterion } from '../criteria/full-text';
import { filterCriterion } from '../criteria/filter-expression';
import { nearCriterion } from '../criteria/near';
import { parameterCriterion } from '../criteria/parameter-criterion';
import type { Criterion } from '../criteria/criterion';
import { wantedReferences } from '../criteria/reference';
import { idCriterion, lastUpdatedCriterion, unsupportedModifier } from '../criteria/row-columns';
import type { ValueContext } from '../criteria/value-test';
import { SearchError } from '../search-error';
import { isRelativeReference } from '../values/references';
import type { Terminology } from '../terminology/terminology';
import { splitUnescaped, unescaped } from './escapes';
import { resolveParameter, targetsOf, type ResolvedParameter } from './resolved-parameter';
import type { Chain, Hierarchy, ListMembership, ReverseChain, SubSearch } from './search-query';
import { searchLimits } from './search-limits';
import { parentParameter } from './subqueries/hierarchy';
import { similarNames } from './similar-names';
import { isSupported } from './supported-parameters';

/** A type of the search does not have the parameter. A lenient search ignores the parameter. */
export class UnknownParameterError extends SearchError {}

/** The types that a parameter applies to, and the context in which it is parsed. */
export interface FilterScope {
  release: Release;
  /** Empty: every type. */
  types: readonly string[];
  baseUrl: string | undefined;
  now: number;
  /** The value of the parameter `near-distance`, which completes `near`. */
  nearDistance: string | undefined;
  terminology: Terminology;
}

/**
 * Parses one parameter that resources must fulfil and adds it to the criteria or the subqueries of a search.
 * @param depth how many references lead to the types of the scope
 * @throws UnknownParameterError when a type of the scope does not have the parameter
 * @throws SearchError for any other fault of the parameter or its value
 */
export function parseFilter(scope: FilterScope, key: string, value: string, search: SubSearch, depth = 0): void {
  if (depth > searchLimits.chainDepth)
    throw new SearchError(key, 'too-costly', `a chain may follow ${searchLimits.chainDepth} references`);
  const dot = key.indexOf('.');
  const { name, modifier } = splitModifier(key);
  if (key.startsWith('_has:')) search.subqueries.push(parseReverseChain(scope, key, value, depth));
  else if (dot > 0) search.subqueries.push(parseChain(scope, key, key.slice(0, dot), key.slice(dot + 1), value, depth));
  else if (name === '_list') search.subqueries.push(parseListMembership(scope, key, value));
  else if ((modifier === 'above' || modifier === 'below') && isReference(scope, name))
    search.subqueries.push(parseHierarchy(scope, key, name, modifier, value));
  else search.criteria.push(parseCriterion(scope, key, name, modifier, value));
}

function splitModifier(key: string): { name: string; modifier: string | undefined } {
  const colon = key.indexOf(':');
  return colon < 0 ? { name: key, modifier: undefined } : { name: key.slice(0, colon), modifier: key.slice(colon + 1) };
}

function parseCriterion(
  scope: FilterScope,
  key: string,
  name: string,
  modifier: string | undefined,
  value: string,
): Criterion {
  const context = valueContext(scope, key, modifier);
  switch (name) {
    case '_id':
      return idCriterion(value, context);
    case '_lastUpdated':
      return lastUpdatedCriterion(value, context);
    case '_text':
    case '_content':
      if (modifier !== undefined) throw unsupportedModifier(key, modifier);
      return fullTextCriterion(name, unescaped(value));
    case '_filter':
      return filterCriterion(value, (part, partModifier) => searchableInFilter(scope, part, partModifier));
    default: {
      const { parameter, context: found } = searchableParameter(scope, name, context);
      if (name === 'near' && parameter.types.some(({ type }) => type === 'Location'))
        return nearCriterion(key, value, scope.nearDistance);
      return parameterCriterion(parameter, value, found);
    }
  }
}

function valueContext(scope: FilterScope, parameter: string, modifier: string | undefined): ValueContext {
  return { parameter, modifier, targets: [], baseUrl: scope.baseUrl, now: scope.now, terminology: scope.terminology };
}

/**
 * The definition of a parameter that all types of the search have, and the context for its values with the possible
 * targets of references.
 * @throws UnknownParameterError when a type does not have it
 */
function searchableParameter(
  scope: FilterScope,
  name: string,
  context: ValueContext,
): { parameter: ResolvedParameter; context: ValueContext } {
  const parameter = resolveParameter(scope.release, scope.types, name);
  const searchable = name !== 'near-distance' && parameter?.types.every(({ definition }) => isSupported(definition));
  if (!parameter || !searchable || parameter.types.length < scope.types.length) {
    throw new UnknownParameterError(context.parameter, 'not-supported', missingParameter(scope, name));
  }
  if (parameter.type !== 'reference') return { parameter, context };
  const { modifier } = context;
  const targets = modifier !== undefined && isResourceType(scope.release, modifier) ? [modifier] : targetsOf(parameter);
  if (modifier !== undefined && /^[A-Z]/.test(modifier) && !isResourceType(scope.release, modifier)) {
    throw new SearchError(context.parameter, 'invalid', `there is no resource type ${modifier}`);
  }
  return { parameter, context: { ...context, targets } };
}

function missingParameter({ release, types }: FilterScope, name: string): string {
  const [type] = types;
  if (type !== undefined && types.length === 1)
    return `${type} has no search parameter ${name}${similarNames(release, types, name)}`;
  return `not all of ${types.join(', ') || 'the resource types'} have a search parameter ${name}`;
}

/**
 * The same within `_filter`. An unknown parameter there is an error, since the rest of the expression would select
 * other resources.
 */
function searchableInFilter(
  scope: FilterScope,
  name: string,
  modifier: string | undefined,
): { parameter: ResolvedParameter; context: ValueContext } {
  try {
    return searchableParameter(scope, name, valueContext(scope, name, modifier));
  } catch (error) {
    if (error instanceof UnknownParameterError) throw new SearchError('_filter', error.code, error.message);
    throw error;
  }
}

function isReference({ release, types }: FilterScope, name: string): boolean {
  return resolveParameter(release, types, name)?.type === 'reference';
}

function parseHierarchy(
  scope: FilterScope,
  key: string,
  name: string,
  direction: 'above' | 'below',
  value: string,
): Hierarchy {
  const { parameter: reference, context } = searchableParameter(scope, name, valueContext(scope, key, undefined));
  const levelTypes = context.targets.filter((type) => parentParameter(scope.release, type) !== undefined);
  if (levelTypes.length === 0)
    throw new SearchError(key, 'not-supported', `nothing that ${name} refers to is part of others of its type`);
  const values = splitUnescaped(value, ',').map(unescaped);
  if (values.includes('')) throw new SearchError(key, 'invalid', `${key} takes an id or Type/id`);
  const start = values.flatMap((each) => wantedReferences(each, context)).filter(isRelativeReference);
  return {
    kind: 'hierarchy',
    release: scope.release,
    parameter: key,
    types: scope.types,
    reference,
    direction,
    start,
    levelTypes,
  };
}

function parseChain(
  scope: FilterScope,
  key: string,
  referenceKey: string,
  rest: string,
  value: string,
  depth: number,
): Chain {
  const { name, modifier } = splitModifier(referenceKey);
  const { parameter: reference, context } = searchableParameter(scope, name, valueContext(scope, key, modifier));
  if (reference.type !== 'reference')
    throw new SearchError(key, 'invalid', `${name} is not a reference and cannot be chained`);
  if (modifier !== undefined && !isResourceType(scope.release, modifier)) throw unsupportedModifier(key, modifier);
  const targetTypes = typesWithParameter(scope.release, context.targets, rest);
  if (targetTypes.length === 0)
    throw new UnknownParameterError(
      key,
      'not-supported',
      `nothing that ${name} refers to has a search parameter ${rest}`,
    );
  const target = parseNested(scope, targetTypes, rest, value, depth);
  return { kind: 'chain', release: scope.release, parameter: key, types: scope.types, reference, target };
}

function parseReverseChain(scope: FilterScope, key: string, value: string, depth: number): ReverseChain {
  const { release, types } = scope;
  const [, sourceType = '', reference = '', ...rest] = key.split(':');
  if (rest.length === 0 || rest[0] === '')
    throw new SearchError(key, 'invalid', '_has is written _has:Type:reference:parameter');
  if (!isResourceType(release, sourceType))
    throw new SearchError(key, 'invalid', `there is no resource type ${sourceType}`);
  if (resolveParameter(release, [sourceType], reference)?.type !== 'reference')
    throw new SearchError(key, 'invalid', `${sourceType} has no reference parameter ${reference}`);
  const source = parseNested(scope, [sourceType], rest.join(':'), value, depth);
  return { kind: 'reverse-chain', release, parameter: key, types, source, sourceType, reference };
}

/** Parses the parameter at the end of a chain or reverse chain, which is searched on other types. */
function parseNested(
  scope: FilterScope,
  types: readonly string[],
  key: string,
  value: string,
  depth: number,
): SubSearch {
  const search = emptySearch(types);
  parseFilter({ ...scope, types, nearDistance: undefined }, key, value, search, depth + 1);
  return search;
}

/** The types among the targets that have the first parameter of the rest of a chain. */
function typesWithParameter(release: Release, targets: readonly string[], rest: string): readonly string[] {
  const name = rest.split(/[.:]/)[0] ?? '';
  if (name === '_has' || name === '_filter' || name === '_list') return targets;
  return resolveParameter(release, targets, name)?.types.map(({ type }) => type) ?? [];
}

function parseListMembership({ release, types }: FilterScope, key: string, value: string): ListMembership {
  const listId = value.replace(/^List\//, '');
  if (!isLogicalId(listId)) throw new SearchError(key, 'not-supported', '_list takes the id of one List');
  return { kind: 'list', release, parameter: key, types, listId };
}

/** A search without criteria, which matches all resources of the types. */
export function emptySearch(types: readonly string[]): SubSearch {
  return { types, criteria: [], subqueries: [] };
}
