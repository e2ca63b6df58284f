import type { Resource } from '@tributary/fhir-json';
import type { Condition, RangeKind } from '../index/index-values';
import { dateName, numberName } from '../index/terms';
import { splitUnescaped } from '../query/escapes';
import type { ResolvedParameter, TypedParameter } from '../query/resolved-parameter';
import { SearchError } from '../search-error';
import { dateRangeOf } from '../values/date-range';
import { valuesAt } from '../values/element-paths';
import { numberRangeOf, quantityOf } from '../values/quantities';
import { compositeCriterion } from './composite';
import { anyCriterion, anyOf, matchAll, notCriterion, type Criterion } from './criterion';
import { valueParsers } from './value-parsers';
import { codeSetModifiers, isCoded } from './code-set-test';
import { parsePhonetic } from './string';
import type { ValueContext, ValueTest } from './value-test';

const modifiers: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    token: ['not', 'text', 'of-type', 'in', 'not-in', 'above', 'below'],
    reference: ['identifier'],
    uri: ['above', 'below'],
    date: [],
    string: ['exact', 'contains'],
    number: [],
    quantity: [],
    composite: [],
  }),
);

const isTypeName = /^[A-Z][A-Za-z]+$/;

/**
 * The criterion of a parameter with its modifier. Values are separated by commas; any of them may match.
 * @throws SearchError for an unsupported modifier or an invalid value
 */
export function parameterCriterion(parameter: ResolvedParameter, text: string, context: ValueContext): Criterion {
  const { modifier } = context;
  if (modifier === 'missing') return missingCriterion(parameter, text, context);
  checkModifier(parameter, context);
  const texts = splitUnescaped(text, ',');
  if (parameter.type === 'composite')
    return anyCriterion(
      context.parameter,
      texts.map((each) => compositeCriterion(parameter, each, context)),
    );
  if (codeSetModifiers.has(modifier ?? '')) assertCoded(parameter, context);
  const read =
    parameter.code === 'phonetic' && modifier === undefined ? parsePhonetic : valueParsers.get(parameter.type);
  if (!read) throw new SearchError(context.parameter, 'not-supported', `${context.parameter} cannot be searched`);
  const found = testCriterion(
    parameter,
    texts.map((each) => read(each, context)),
    context.parameter,
  );
  return modifier === 'not' || modifier === 'not-in' ? notCriterion(context.parameter, found) : found;
}

function checkModifier({ type }: ResolvedParameter, { parameter, modifier }: ValueContext): void {
  if (modifier === undefined || modifiers.get(type)?.includes(modifier)) return;
  if (type === 'reference' && isTypeName.test(modifier)) return;
  throw new SearchError(
    parameter,
    'not-supported',
    `the modifier :${modifier} is not supported for ${parameter.split(':')[0]}`,
  );
}

/** Value sets and hierarchies have codes. Identifiers and other tokens are not codes. */
function assertCoded({ type, types }: ResolvedParameter, { parameter, modifier }: ValueContext): void {
  if (type !== 'token' || types.some(({ definition }) => definition.paths.some(isCoded))) return;
  throw new SearchError(
    parameter,
    'not-supported',
    `the modifier :${modifier} is for codes, which ${parameter.split(':')[0]} does not have`,
  );
}

/** Matches resources with a value, on any path of the parameter, that passes any of the tests. */
export function testCriterion(parameter: ResolvedParameter, tests: readonly ValueTest[], written: string): Criterion {
  const byType = new Map(parameter.types.map((typed) => [typed.type, typed]));
  const everyType = byType.get('Resource');
  return {
    parameter: written,
    condition: anyOf(parameter.types.flatMap((typed) => typedConditions(typed, tests))),
    exact: parameter.types.every(
      ({ paths, covers }) => covers && tests.every((test) => paths.every((path) => test.exact(path))),
    ),
    matches: (resource) => {
      const typed = byType.get(resource.resourceType) ?? everyType;
      return typed !== undefined && hasValue(typed, resource, tests);
    },
  };
}

function typedConditions({ definition, paths }: TypedParameter, tests: readonly ValueTest[]): Condition[] {
  if (paths.length < definition.paths.length) return [matchAll];
  return tests.flatMap((test) => paths.map((path) => test.condition(path)));
}

function hasValue(typed: TypedParameter, resource: Resource, tests: readonly ValueTest[]): boolean {
  return typed.definition.paths.some((path) =>
    valuesAt(path, resource).some((value) => tests.some((test) => test.test(path, value))),
  );
}

const rangeKinds: ReadonlyMap<string, RangeKind> = new Map(
  Object.entries({ date: 'date', number: 'number', quantity: 'number' }),
);

/** `:missing`. The index decides for parameters whose values are ranges, the content for all others. */
function missingCriterion(parameter: ResolvedParameter, text: string, { parameter: written }: ValueContext): Criterion {
  if (text !== 'true' && text !== 'false') throw new SearchError(written, 'invalid', `${written} takes true or false`);
  const kind = rangeKinds.get(parameter.type);
  const byType = new Map(parameter.types.map((typed) => [typed.type, typed]));
  const everyType = byType.get('Resource');
  const indexed = kind !== undefined && parameter.types.every(({ covers }) => covers);
  const name = kind === 'date' ? dateName : numberName;
  const present: Criterion = {
    parameter: written,
    condition: indexed
      ? anyOf(
          parameter.types.flatMap(({ paths }) =>
            paths.map(({ index }) => ({ op: 'has-range', name: name(index.name) })),
          ),
        )
      : matchAll,
    exact: indexed,
    matches: (resource) => {
      const typed = byType.get(resource.resourceType) ?? everyType;
      return typed !== undefined && isThere(typed, resource);
    },
  };
  return text === 'false' ? present : notCriterion(written, present);
}

function isThere({ definition }: TypedParameter, resource: Resource): boolean {
  const starts = definition.components.flatMap((component) =>
    component.paths.map((path) => ({ type: component.type, path })),
  );
  if (definition.type === 'composite')
    return definition.starts.length > 0 && starts.some(({ path }) => valuesAt(path, resource).length > 0);
  return definition.paths.some((path) =>
    valuesAt(path, resource).some((value) => {
      if (definition.type === 'date') return dateRangeOf(path.type, value) !== undefined;
      if (definition.type === 'number') return numberRangeOf(value) !== undefined;
      if (definition.type === 'quantity') return quantityOf(path.type, value) !== undefined;
      return true;
    }),
  );
}
