import { parseDateTimeParameter } from '@tributary/fhir-json';
import type { Condition } from '../index-values';
import { dateName } from '../index/terms';
import { SearchError } from '../search-error';
import { dateRangeOf, type Range } from '../values/date-range';
import { anyOf } from './criterion';
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

/** A second written with a fraction of nothing, as `toISOString` of JavaScript does. */
const wholeSecond = /:\d{2}\.0+(?:Z|[-+ ]\d{2}:\d{2})?$/;

/** Where both ends of a time must lie for a searched date with its prefix. */
export function readDateBounds(
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

export function readDate(text: string, context: ValueContext): ValueTest {
  const ways = readDateBounds(text, context);
  return {
    condition: ({ index }) => rangeCondition('date', dateName(index.name), index.repeats, ways),
    exact: () => true,
    test: (path, value) => {
      const range = dateRangeOf(path.type, value);
      return range !== undefined && rangeFits(range, ways);
    },
  };
}

/** "Approximately": a tenth of the time from then to now to either side. */
function around({ low, high }: Range, now: number): Range {
  const margin = Math.round(Math.max(Math.abs(now - low), Math.abs(now - high)) / 10);
  return { low: low - margin, high: high + margin };
}

/** The same bounds for the instant at which a version was stored. */
export function lastUpdatedCondition(ways: readonly RangeBounds[]): Condition {
  return anyOf(ways.map(({ low, high }) => ({ op: 'last-updated', ...bothBounds(low ?? {}, high ?? {}) })));
}
