import { parseDateTimeParameter } from '@tributary/fhir-json';
import type { Condition } from '../index/index-values';
import { dateName, localDateName } from '../index/terms';
import { SearchError } from '../search-error';
import { comparedRange, type Range } from '../values/date-range';
import { allOf, anyOf } from './criterion';
import {
  bothBounds,
  dateBounds,
  rangeCondition,
  rangeFits,
  splitPrefix,
  withWholeSecond,
  type RangeBounds,
} from './ordered';
import type { ValueContext, ValueTest } from './value-test';

/** A second with a fraction of zero, as `Date.prototype.toISOString` writes it. */
const wholeSecond = /:\d{2}\.0+(?:Z|[-+ ]\d{2}:\d{2})?$/;

/**
 * The alternatives for the value of a date parameter, with its prefix: https://hl7.org/fhir/R4/search.html#date.
 * @throws SearchError when the value is no date
 */
export function parseDateBounds(
  text: string,
  { parameter, now }: Pick<ValueContext, 'parameter' | 'now'>,
): RangeBounds[] {
  const { prefix, rest } = splitPrefix(text);
  const searched = parseDateTimeParameter(rest);
  if (!searched)
    throw new SearchError(
      parameter,
      'invalid',
      `${parameter} takes a date such as 2024, 2024-02, 2024-02-29 or 2024-02-29T10:00:00Z`,
    );
  const bounds = dateBounds(prefix, searched, around(searched, now));
  return wholeSecond.test(rest) ? withWholeSecond(prefix, searched, bounds) : bounds;
}

/** The test of a date parameter. @throws SearchError when the value is no date */
export function parseDate(text: string, context: ValueContext): ValueTest {
  const alternatives = parseDateBounds(text, context);
  const isDate = isDateWithoutTime(splitPrefix(text).rest);
  return {
    condition: ({ index: { name, repeats } }) =>
      isDate
        ? localDateCondition(name, repeats, alternatives)
        : rangeCondition('date', dateName(name), repeats, alternatives),
    exact: () => true,
    test: (path, value) => {
      const range = comparedRange(path.type, value, isDate);
      return range !== undefined && rangeFits(range, alternatives);
    },
  };
}

/** Whether a searched date has no time of day. Then it is compared with the date that a stored time is written with. */
export function isDateWithoutTime(text: string): boolean {
  return !text.includes('T');
}

/** See `indexWriters.date`: a value that does not repeat has a local range only where its dates differ from UTC. */
function localDateCondition(element: string, repeats: boolean, alternatives: readonly RangeBounds[]): Condition {
  const name = localDateName(element);
  const local = rangeCondition('date', name, repeats, alternatives);
  if (repeats) return local;
  const hasNone: Condition = { op: 'not', of: { op: 'has-range', name } };
  return anyOf([local, allOf([rangeCondition('date', dateName(element), repeats, alternatives), hasNone])]);
}

/** The interval of `ap`: extended on both sides by a tenth of the time between now and the date. */
function around({ low, high }: Range, now: number): Range {
  const margin = Math.round(Math.max(Math.abs(now - low), Math.abs(now - high)) / 10);
  return { low: low - margin, high: high + margin };
}

/** The condition for `_lastUpdated`, which is a single instant: both bounds apply to it. */
export function lastUpdatedCondition(alternatives: readonly RangeBounds[]): Condition {
  return anyOf(alternatives.map(({ low, high }) => ({ op: 'last-updated', ...bothBounds(low ?? {}, high ?? {}) })));
}
