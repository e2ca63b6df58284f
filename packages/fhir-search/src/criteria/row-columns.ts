import { parseDateTime, type Resource } from '@tributary/fhir-json';
import { splitUnescaped, unescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { anyOf, matchAll, matchNone, notCriterion, type Criterion } from './criterion';
import { lastUpdatedCondition, parseDateBounds } from './date';
import { rangeFits } from './ordered';
import type { ValueContext } from './value-test';

/** `_id`: decided by the key of the index row. */
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

/** `_lastUpdated`: decided by a column of the index row. */
export function lastUpdatedCriterion(text: string, context: ValueContext): Criterion {
  const { parameter, modifier } = context;
  if (modifier === 'missing') return missing(parameter, text, (resource) => resource.meta?.lastUpdated !== undefined);
  if (modifier !== undefined) throw unsupportedModifier(parameter, modifier);
  const alternatives = splitUnescaped(text, ',').map((each) => parseDateBounds(each, context));
  return {
    parameter,
    condition: anyOf(alternatives.map(lastUpdatedCondition)),
    exact: true,
    matches: (resource) => {
      const at = typeof resource.meta?.lastUpdated === 'string' ? parseDateTime(resource.meta.lastUpdated) : undefined;
      return at !== undefined && alternatives.some((each) => rangeFits(at, each));
    },
  };
}

function missing(parameter: string, text: string, isThere: (resource: Resource) => boolean): Criterion {
  if (text !== 'true' && text !== 'false')
    throw new SearchError(parameter, 'invalid', `${parameter} takes true or false`);
  // Every stored resource has an id and a last update.
  const wanted = text === 'false';
  return {
    parameter,
    condition: wanted ? matchAll : matchNone,
    exact: true,
    matches: (resource) => isThere(resource) === wanted,
  };
}

/** The error for a modifier that the parameter does not have. */
export function unsupportedModifier(parameter: string, modifier: string): SearchError {
  return new SearchError(
    parameter,
    'not-supported',
    `the modifier :${modifier} is not supported for ${parameter.split(':')[0]}`,
  );
}
