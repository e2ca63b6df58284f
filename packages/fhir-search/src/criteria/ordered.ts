import type { Bounds, Condition, RangeKind } from '../index/index-values';
import type { Range } from '../values/date-range';
import { anyOf } from './criterion';

/** https://hl7.org/fhir/R4/search.html#prefix */
export type Prefix = 'eq' | 'ne' | 'gt' | 'lt' | 'ge' | 'le' | 'sa' | 'eb' | 'ap';

/**
 * Bounds for both ends of a stored range. A search has one or more alternatives; a range that is within any of them
 * matches.
 */
export interface RangeBounds {
  low?: Bounds;
  high?: Bounds;
}

/**
 * Splits the prefix from the value of a date, number or quantity parameter: https://hl7.org/fhir/R4/search.html#prefix.
 */
export function splitPrefix(text: string): { prefix: Prefix; rest: string } {
  const match = /^(eq|ne|gt|lt|ge|le|sa|eb|ap)(?=[-+.\d])/.exec(text);
  return match ? { prefix: match[1] as Prefix, rest: text.slice(2) } : { prefix: 'eq', rest: text };
}

/**
 * The alternatives for a comparison of a stored date with a searched one. Both are intervals, so the comparisons are
 * those of https://hl7.org/fhir/R4/search.html#prefix: `gt` is "the range above the search value intersects with the
 * range of the target value", `ge` is `gt` or "the range of the search value fully contains the range of the target
 * value".
 */
export function dateBounds(prefix: Prefix, searched: Range, approximate: Range): RangeBounds[] {
  const { low, high } = searched;
  const contained: RangeBounds = { low: { ge: low }, high: { le: high } };
  switch (prefix) {
    case 'eq':
      return [contained];
    case 'ne':
      return [{ low: { lt: low } }, { high: { gt: high } }];
    case 'gt':
      return [{ high: { gt: high } }];
    case 'lt':
      return [{ low: { lt: low } }];
    case 'ge':
      return [{ high: { gt: high } }, contained];
    case 'le':
      return [{ low: { lt: low } }, contained];
    case 'sa':
      return [{ low: { gt: high } }];
    case 'eb':
      return [{ high: { lt: low } }];
    case 'ap':
      return [{ low: { le: approximate.high }, high: { ge: approximate.low } }];
  }
}

/**
 * The alternatives for a searched second that is written with a fraction of zero, such as `10:00:00.000`. A time stored
 * with second precision, `10:00:00`, equals it as well, although it means an interval of one second. A time stored in
 * milliseconds must be equal.
 */
export function withWholeSecond(prefix: Prefix, { low }: Range, bounds: readonly RangeBounds[]): RangeBounds[] {
  const end = low + 999;
  switch (prefix) {
    case 'eq':
    case 'ge':
    case 'le':
      return [...bounds, { low: { ge: low, le: low }, high: { ge: end, le: end } }];
    case 'ne':
      return bounds.flatMap((alternative) =>
        alternative.high
          ? [
              { low: { gt: low }, high: alternative.high },
              { high: { ...alternative.high, lt: end } },
              { high: { gt: end } },
            ]
          : [alternative],
      );
    default:
      return [...bounds];
  }
}

/**
 * The alternatives for numbers. `eq` and `ne` compare with the interval that the written precision means, whose upper
 * end is exclusive; the other prefixes compare with the number itself: https://hl7.org/fhir/R4/search.html#number.
 */
export function numberBounds(prefix: Prefix, value: number, precise: Range, approximate: Range): RangeBounds[] {
  switch (prefix) {
    case 'eq':
      return [{ low: { ge: precise.low }, high: { lt: precise.high } }];
    case 'ne':
      return [{ low: { lt: precise.low } }, { high: { ge: precise.high } }];
    case 'gt':
      return [{ high: { gt: value } }];
    case 'lt':
      return [{ low: { lt: value } }];
    case 'ge':
      return [{ high: { ge: value } }];
    case 'le':
      return [{ low: { le: value } }];
    case 'sa':
      return [{ low: { gt: value } }];
    case 'eb':
      return [{ high: { lt: value } }];
    case 'ap':
      return [{ low: { le: approximate.high }, high: { ge: approximate.low } }];
  }
}

/** Whether a value is within all given bounds. */
export function withinBounds(value: number, { ge, gt, le, lt }: Bounds): boolean {
  return (
    (ge === undefined || value >= ge) &&
    (gt === undefined || value > gt) &&
    (le === undefined || value <= le) &&
    (lt === undefined || value < lt)
  );
}

/** The intersection of two bounds. */
export function bothBounds(a: Bounds, b: Bounds): Bounds {
  const bound = (key: keyof Bounds, pick: (...values: number[]) => number): Bounds => {
    const given = [a[key], b[key]].filter((value) => value !== undefined);
    return given.length > 0 ? { [key]: pick(...given) } : {};
  };
  return { ...bound('ge', Math.max), ...bound('gt', Math.max), ...bound('le', Math.min), ...bound('lt', Math.min) };
}

/** Whether both ends of a stored range are within the bounds of any alternative. */
export function rangeFits(range: Range, alternatives: readonly RangeBounds[]): boolean {
  return alternatives.some(
    ({ low, high }) => (!low || withinBounds(range.low, low)) && (!high || withinBounds(range.high, high)),
  );
}

/** The condition that an indexed range is within the bounds of any alternative. */
export function rangeCondition(
  kind: RangeKind,
  name: string,
  repeats: boolean,
  alternatives: readonly RangeBounds[],
): Condition {
  return anyOf(alternatives.map((alternative) => ({ op: 'range', kind, name, repeats, ...alternative })));
}
