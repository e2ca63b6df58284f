import { parseDateTime, type Resource } from '@tributary/fhir-json';
import { splitUnescaped, unescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { anyOf, notCriterion, type Criterion } from './criterion';
import { lastUpdatedCondition, readDateBounds } from './date';
import { rangeFits } from './ordered';
import type { ValueContext } from './value-test';

/** `_id`: answered by the key of the row. */
export function idCriterion(text: string, { parameter, modifier }: ValueContext): Criterion {
  if (modifier === 'missing') return missing(parameter, text, (resource) => resource.id !== undefined);
  if (modifier !== undefined && modifier !== 'not') throw unsupportedModifier(parameter, modifier);
  const ids = splitUnescaped(text, ',')
    .map(unescaped)
    .filter((id) => id !== '');
  if (ids.length === 0) throw new SearchError(parameter, 'invalid', `${parameter} needs an id`);
  const found: Criterion = {
    parameter,
    condition: { op: 'id', ids },
    exact: true,
    matches: (resource) => resource.id !== undefined && ids.includes(resource.id),
  };
  return modifier === 'not' ? notCriterion(parameter, found) : found;
}

/** `_lastUpdated`: answered by the column of the row. */
export function lastUpdatedCriterion(text: string, context: ValueContext): Criterion {
  const { parameter, modifier } = context;
  if (modifier === 'missing') return missing(parameter, text, (resource) => resource.meta?.lastUpdated !== undefined);
  if (modifier !== undefined) throw unsupportedModifier(parameter, modifier);
  const ways = splitUnescaped(text, ',').map((each) => readDateBounds(each, context));
  return {
    parameter,
    condition: anyOf(ways.map(lastUpdatedCondition)),
    exact: true,
    matches: (resource) => {
      const at = typeof resource.meta?.lastUpdated === 'string' ? parseDateTime(resource.meta.lastUpdated) : undefined;
      return at !== undefined && ways.some((each) => rangeFits(at, each));
    },
  };
}

function missing(parameter: string, text: string, isThere: (resource: Resource) => boolean): Criterion {
  if (text !== 'true' && text !== 'false')
    throw new SearchError(parameter, 'invalid', `${parameter} takes true or false`);
  // Every stored resource has an id and a time.
  const wanted = text === 'false';
  return {
    parameter,
    condition: wanted ? { op: 'all' } : { op: 'or', of: [] },
    exact: true,
    matches: (resource) => isThere(resource) === wanted,
  };
}

export function unsupportedModifier(parameter: string, modifier: string): SearchError {
  return new SearchError(
    parameter,
    'not-supported',
    `the modifier :${modifier} is not supported for ${parameter.split(':')[0]}`,
  );
}
