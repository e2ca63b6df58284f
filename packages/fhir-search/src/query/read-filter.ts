import { isResourceType, resourceTypes, type Release } from '@tributary/fhir-definitions';
import { fullTextCriterion } from '../criteria/full-text';
import { containedTargetCriterion } from '../criteria/contained-target';
import { filterCriterion } from '../criteria/filter-expression';
import { nearCriterion } from '../criteria/near';
import { parameterCriterion, testCriterion } from '../criteria/parameter-criterion';
import { anyCriterion, type Criterion } from '../criteria/criterion';
import { referenceTest } from '../criteria/reference';
import { idCriterion, lastUpdatedCriterion, unsupportedModifier } from '../criteria/row-columns';
import type { ValueContext } from '../criteria/value-test';
import { SearchError } from '../search-error';
import type { Terminology } from '../terminology/terminology';
import { unescaped } from './escapes';
import { hierarchyLink } from './hierarchy-link';
import { referencesOf } from './references-of';
import { resolveParameter, targetsOf, type ResolvedParameter } from './resolved-parameter';
import type { SearchLink, SubSearch } from './search-query';
import { searchLimits } from './search-limits';
import { isSupported } from './supported-parameters';

/** The parameter is none of the type; a lenient search leaves it out. */
export class UnknownParameterError extends SearchError {}

/** Where a parameter stands: the types it is asked of, and what reading it needs to know. */
export interface FilterScope {
  release: Release;
  /** Empty: every type. */
  types: readonly string[];
  baseUrl: string | undefined;
  now: number;
  /** The value of `near-distance` beside `near`. */
  nearDistance: string | undefined;
  terminology: Terminology;
}

/** Reads one parameter that resources must fulfil, into the criteria or the links of a search. */
export function readFilter(scope: FilterScope, key: string, value: string, into: SubSearch, depth = 0): void {
  if (depth > searchLimits.chainDepth)
    throw new SearchError(key, 'too-costly', `a chain may follow ${searchLimits.chainDepth} references`);
  if (key.startsWith('_has:')) {
    into.links.push(reverseChain(scope, key, value, depth));
    return;
  }
  const dot = key.indexOf('.');
  if (dot > 0) {
    into.links.push(chain(scope, key, key.slice(0, dot), key.slice(dot + 1), value, depth));
    return;
  }
  const { name, modifier } = splitModifier(key);
  if (name === '_list') into.links.push(listLink(scope, key, value));
  else if ((modifier === 'above' || modifier === 'below') && isReference(scope, name))
    into.links.push(hierarchy(scope, key, name, modifier, value));
  else into.criteria.push(criterion(scope, key, name, modifier, value));
}

function splitModifier(key: string): { name: string; modifier: string | undefined } {
  const colon = key.indexOf(':');
  return colon < 0 ? { name: key, modifier: undefined } : { name: key.slice(0, colon), modifier: key.slice(colon + 1) };
}

function criterion(
  scope: FilterScope,
  key: string,
  name: string,
  modifier: string | undefined,
  value: string,
): Criterion {
  const context = targetContext(scope, key, modifier);
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
      return filterCriterion(value, (part, partModifier) => knownInFilter(scope, part, partModifier));
    default: {
      const { parameter, context: found } = known(scope, name, context);
      if (name === 'near' && parameter.of.some(({ type }) => type === 'Location'))
        return nearCriterion(key, value, scope.nearDistance);
      return parameterCriterion(parameter, value, found);
    }
  }
}

function targetContext(scope: FilterScope, parameter: string, modifier: string | undefined): ValueContext {
  return { parameter, modifier, targets: [], baseUrl: scope.baseUrl, now: scope.now, terminology: scope.terminology };
}

/** The parameter, known by every type of the search; with the targets that its references may have. */
function known(
  scope: FilterScope,
  name: string,
  context: ValueContext,
): { parameter: ResolvedParameter; context: ValueContext } {
  const parameter = resolveParameter(scope.release, scope.types, name);
  const searchable = name !== 'near-distance' && parameter?.of.every(({ definition }) => isSupported(definition));
  if (!parameter || !searchable || parameter.of.length < scope.types.length) {
    throw new UnknownParameterError(
      context.parameter,
      'not-supported',
      `${scope.types.join(', ') || 'not every resource type'} has no search parameter ${name}`,
    );
  }
  if (parameter.kind !== 'reference') return { parameter, context };
  const { modifier } = context;
  const targets = modifier !== undefined && isResourceType(scope.release, modifier) ? [modifier] : targetsOf(parameter);
  if (modifier !== undefined && /^[A-Z]/.test(modifier) && !isResourceType(scope.release, modifier)) {
    throw new SearchError(context.parameter, 'invalid', `there is no resource type ${modifier}`);
  }
  return { parameter, context: { ...context, targets } };
}

/** Within `_filter`, where a part cannot be left out alone: without it the rest would select something else. */
function knownInFilter(
  scope: FilterScope,
  name: string,
  modifier: string | undefined,
): { parameter: ResolvedParameter; context: ValueContext } {
  try {
    return known(scope, name, targetContext(scope, name, modifier));
  } catch (error) {
    if (error instanceof UnknownParameterError) throw new SearchError('_filter', error.code, error.message);
    throw error;
  }
}

function isReference({ release, types }: FilterScope, name: string): boolean {
  return resolveParameter(release, types, name)?.kind === 'reference';
}

function hierarchy(
  scope: FilterScope,
  key: string,
  name: string,
  direction: 'above' | 'below',
  value: string,
): SearchLink {
  const { parameter, context } = known(scope, name, targetContext(scope, key, undefined));
  return hierarchyLink(parameter, value, direction, context);
}

function chain(scope: FilterScope, key: string, head: string, rest: string, value: string, depth: number): SearchLink {
  const { name, modifier } = splitModifier(head);
  const { parameter, context } = known(scope, name, targetContext(scope, key, modifier));
  if (parameter.kind !== 'reference')
    throw new SearchError(key, 'invalid', `${name} is no reference, it cannot be chained`);
  if (modifier !== undefined && !isResourceType(scope.release, modifier)) throw unsupportedModifier(key, modifier);
  const target = emptySearch(typesThatKnow(scope.release, context.targets, rest));
  if (target.types.length === 0)
    throw new UnknownParameterError(
      key,
      'not-supported',
      `nothing that ${name} refers to has a search parameter ${rest}`,
    );
  readFilter({ ...scope, types: target.types, nearDistance: undefined }, rest, value, target, depth + 1);
  return {
    kind: 'chain',
    parameter: key,
    target,
    holders: (linked) => ({
      types: scope.types,
      criteria: [containedTargetCriterion(parameter, target.types, [...target.criteria, ...linked], key)],
      links: [],
    }),
    criterion: (references, holders = []) => {
      const outside = testCriterion(parameter, [referenceTest(references)], key);
      return holders.length === 0 ? outside : anyCriterion(key, [outside, oneOfThese(scope, key, holders)]);
    },
  };
}

/** The types among the targets that know the first name of what follows in a chain. */
function typesThatKnow(release: Release, targets: readonly string[], rest: string): string[] {
  const name = rest.split(/[.:]/)[0] ?? '';
  if (name === '_has' || name === '_filter' || name === '_list') return [...targets];
  return resolveParameter(release, targets, name)?.of.map(({ type }) => type) ?? [];
}

function reverseChain(scope: FilterScope, key: string, value: string, depth: number): SearchLink {
  const [, type = '', reference = '', ...rest] = key.split(':');
  if (rest.length === 0 || rest[0] === '')
    throw new SearchError(key, 'invalid', '_has is written _has:Type:reference:parameter');
  if (!isResourceType(scope.release, type)) throw new SearchError(key, 'invalid', `there is no resource type ${type}`);
  const referring = resolveParameter(scope.release, [type], reference);
  if (referring?.kind !== 'reference')
    throw new SearchError(key, 'invalid', `${type} has no reference parameter ${reference}`);
  const source = emptySearch([type]);
  readFilter({ ...scope, types: [type], nearDistance: undefined }, rest.join(':'), value, source, depth + 1);
  return {
    kind: 'has',
    parameter: key,
    source,
    referencesOf: (found) => referencesOf(scope.release, type, reference, found),
    criterion: (references) => oneOfThese(scope, key, references),
  };
}

function listLink(scope: FilterScope, key: string, value: string): SearchLink {
  const listId = value.replace(/^List\//, '');
  if (!/^[A-Za-z0-9\-.]{1,64}$/.test(listId))
    throw new SearchError(key, 'not-supported', '_list takes the id of one List');
  return { kind: 'list', parameter: key, listId, criterion: (references) => oneOfThese(scope, key, references) };
}

/** The resources themselves that are referred to. */
function oneOfThese(scope: FilterScope, parameter: string, references: readonly string[]): Criterion {
  const types = new Set(scope.types.length > 0 ? scope.types : resourceTypes(scope.release));
  const own = new Set(references.filter((reference) => types.has(reference.split('/')[0] ?? '')));
  const ids = [...own].map((reference) => reference.slice(reference.indexOf('/') + 1));
  return {
    parameter,
    condition: { op: 'id', ids: [...new Set(ids)] },
    // With several types an id alone does not say which one is meant.
    exact: scope.types.length === 1,
    matches: (resource) => own.has(`${resource.resourceType}/${resource.id}`),
  };
}

export function emptySearch(types: readonly string[]): SubSearch {
  return { types, criteria: [], links: [] };
}
