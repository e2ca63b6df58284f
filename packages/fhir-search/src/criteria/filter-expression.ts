import { parseDateTime } from '@tributary/fhir-json';
import type { ResolvedParameter } from '../query/resolved-parameter';
import { searchLimits } from '../query/search-limits';
import { SearchError } from '../search-error';
import { comparedRange } from '../values/date-range';
import { fold } from '../values/folding';
import { stringsOf } from '../values/string-values';
import { allCriteria, anyCriterion, matchAll, notCriterion, type Criterion } from './criterion';
import { isDateWithoutTime } from './date';
import { rangeFits } from './ordered';
import { parameterCriterion, testCriterion } from './parameter-criterion';
import { valueParsers } from './value-parsers';
import type { ValueContext, ValueTest } from './value-test';

interface KnownParameter {
  parameter: ResolvedParameter;
  context: ValueContext;
}

/** Finds a parameter by its name. @throws SearchError when no type of the search has it */
export type FindParameter = (name: string, modifier: string | undefined) => KnownParameter;

const prefixes: ReadonlySet<string> = new Set(['gt', 'lt', 'ge', 'le', 'ap', 'sa', 'eb']);
const ordered: ReadonlySet<string> = new Set(['date', 'number', 'quantity']);

/** Operators with the modifier of token parameters that means the same. `ss` is "subsumes", `sb` "subsumed by". */
const codeSetOperators: ReadonlyMap<string, string> = new Map([
  ['in', 'in'],
  ['ss', 'above'],
  ['sb', 'below'],
]);

/**
 * Parses `_filter` (https://hl7.org/fhir/R4/search_filter.html): comparisons such as `birthdate ge 2000`, combined by
 * `and`, `or`, `not` and parentheses.
 * @throws SearchError
 */
export function filterCriterion(expression: string, find: FindParameter): Criterion {
  return new FilterParser(expression, find).read();
}

class FilterParser {
  readonly #tokens: string[];
  #at = 0;
  #depth = 0;
  #comparisons = 0;

  constructor(
    expression: string,
    private readonly find: FindParameter,
  ) {
    if (expression.length > searchLimits.filterLength)
      throw new SearchError('_filter', 'too-costly', `_filter may have ${searchLimits.filterLength} characters`);
    this.#tokens = expression.match(/"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g) ?? [];
  }

  read(): Criterion {
    const criterion = this.#or();
    if (this.#at < this.#tokens.length) throw syntaxError();
    return criterion;
  }

  #or(): Criterion {
    const of = [this.#and()];
    while (this.#take('or')) of.push(this.#and());
    return of.length === 1 && of[0] ? of[0] : anyCriterion('_filter', of);
  }

  #and(): Criterion {
    const of = [this.#single()];
    while (this.#take('and')) of.push(this.#single());
    return of.length === 1 && of[0] ? of[0] : allCriteria('_filter', of);
  }

  #single(): Criterion {
    if (this.#take('not')) {
      if (!this.#take('(')) throw syntaxError();
      return notCriterion('_filter', this.#inBrackets());
    }
    return this.#take('(') ? this.#inBrackets() : this.#comparison();
  }

  #inBrackets(): Criterion {
    if (++this.#depth > searchLimits.expressionDepth) throw syntaxError();
    const inner = this.#or();
    this.#depth--;
    if (!this.#take(')')) throw syntaxError();
    return inner;
  }

  #comparison(): Criterion {
    if (++this.#comparisons > searchLimits.filterComparisons)
      throw new SearchError('_filter', 'too-costly', `_filter may have ${searchLimits.filterComparisons} comparisons`);
    const name = this.#tokens[this.#at++];
    const operator = this.#tokens[this.#at++];
    const value = this.#tokens[this.#at++];
    if (name === undefined || operator === undefined || value === undefined || /^[()"]/.test(name)) throw syntaxError();
    if (/[.[\]]/.test(name)) throw new SearchError('_filter', 'not-supported', '_filter does not follow references');
    return comparison(this.find, name, operator, literal(value));
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }
}

function literal(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1).replace(/\\(.)/g, '$1') : token;
}

function syntaxError(): SearchError {
  return new SearchError(
    '_filter',
    'invalid',
    '_filter takes comparisons such as name eq "x", with and, or, not(…) and brackets',
  );
}

function comparison(find: FindParameter, name: string, operator: string, value: string): Criterion {
  if (operator === 'pr') {
    const { parameter, context } = find(name, 'missing');
    return parameterCriterion(parameter, value === 'true' ? 'false' : value === 'false' ? 'true' : value, context);
  }
  if (operator === 'ni') return notCriterion(`_filter ${name}`, comparison(find, name, 'in', value));
  const { parameter, context } = find(name, undefined);
  return testCriterion(parameter, [testOf(parameter, context, operator, value)], `_filter ${name}`);
}

function testOf(
  { type }: Pick<ResolvedParameter, 'type'>,
  context: ValueContext,
  operator: string,
  value: string,
): ValueTest {
  const read = valueParsers.get(type);
  if (!read) throw unsupported(context.parameter, operator);
  // The value of a comparison is not a list, so separators of lists are escaped.
  const text = type === 'string' || type === 'uri' ? value.replace(/[,$|\\]/g, '\\$&') : value;
  if (operator === 'eq')
    return type === 'string' ? textTest(value, (each, wanted) => each === wanted) : read(text, context);
  if (operator === 'ne') return opposite(testOf({ type }, context, 'eq', value));
  if (prefixes.has(operator) && ordered.has(type)) return read(operator + text, context);
  if (operator === 'po' && type === 'date') return overlapTest(context.parameter, value);
  const codeSet = codeSetOperators.get(operator);
  if (codeSet !== undefined && type === 'token') return read(text, { ...context, modifier: codeSet });
  if (operator === 're' && type === 'reference') return read(text, context);
  if (type === 'string') {
    if (operator === 'co') return read(text, { ...context, modifier: 'contains' });
    if (operator === 'sw') return read(text, context);
    if (operator === 'ew') return textTest(value, (each, wanted) => each.endsWith(wanted));
  }
  throw unsupported(context.parameter, operator);
}

function unsupported(parameter: string, operator: string): SearchError {
  return new SearchError('_filter', 'not-supported', `the operator ${operator} is not supported for ${parameter}`);
}

/** Matches resources with a value other than that of the test. */
function opposite(of: ValueTest): ValueTest {
  return { condition: () => matchAll, exact: () => false, test: (path, value) => !of.test(path, value) };
}

function textTest(text: string, holds: (folded: string, wanted: string) => boolean): ValueTest {
  const wanted = fold(text);
  return {
    condition: () => matchAll,
    exact: () => false,
    test: (path, value) => stringsOf(path.type, value).some((each) => holds(fold(each), wanted)),
  };
}

function overlapTest(parameter: string, text: string): ValueTest {
  const searched = parseDateTime(text);
  if (!searched) throw new SearchError('_filter', 'invalid', `${parameter} takes a date`);
  const alternatives = [{ low: { le: searched.high }, high: { ge: searched.low } }];
  return {
    condition: () => matchAll,
    exact: () => false,
    test: (path, value) => {
      const range = comparedRange(path.type, value, isDateWithoutTime(text));
      return range !== undefined && rangeFits(range, alternatives);
    },
  };
}
