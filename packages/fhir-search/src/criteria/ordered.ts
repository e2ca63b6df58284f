import type { Bounds, Condition, RangeKind } from '../index-values';
import type { Range } from '../values/date-range';
import { anyOf } from './criterion';

export type Prefix = 'eq' | 'ne' | 'gt' | 'lt' | 'ge' | 'le' | 'sa' | 'eb' | 'ap';

/** One way in which both ends of a stored range may lie. */
export interface RangeBounds {
  low?: Bounds;
  high?: Bounds;
}

/** Takes the prefix off an ordered value. */
export function splitPrefix(text: string): { prefix: Prefix; rest: string } {
  const match = /^(eq|ne|gt|lt|ge|le|sa|eb|ap)(?=[-+.\d])/.exec(text);
  return match ? { prefix: match[1] as Prefix, rest: text.slice(2) } : { prefix: 'eq', rest: text };
}

/**
 * Where the ends of a stored range must lie for a comparison with a searched date, which itself is a stretch of time. A range that fits
 * any of the answers matches. The words are those of the FHIR search page: `gt` is "the range above the value overlaps the stored range",
 * `ge` is that or "the value fully contains the stored range".
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
 * The bounds for a second that is written as `10:00:00.000`: a time that is stored to the second, `10:00:00`, equals it too, though by the
 * letter it means any instant of that second; one that is stored to the millisecond must still be the very one.
 */
export function withWholeSecond(prefix: Prefix, { low }: Range, bounds: readonly RangeBounds[]): RangeBounds[] {
  const end = low + 999;
  switch (prefix) {
    case 'eq':
    case 'ge':
    case 'le':
      return [...bounds, { low: { ge: low, le: low }, high: { ge: end, le: end } }];
    case 'ne':
      return bounds.flatMap((way) =>
        way.high
          ? [{ low: { gt: low }, high: way.high }, { high: { ...way.high, lt: end } }, { high: { gt: end } }]
          : [way],
      );
    default:
      return [...bounds];
  }
}

/** The same for numbers: `eq` and `ne` go by the written precision (`high` is no longer part of it), the others by the very number. */
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

export function withinBounds(value: number, { ge, gt, le, lt }: Bounds): boolean {
  return (
    (ge === undefined || value >= ge) &&
    (gt === undefined || value > gt) &&
    (le === undefined || value <= le) &&
    (lt === undefined || value < lt)
  );
}

/** What lies within both. */
export function bothBounds(a: Bounds, b: Bounds): Bounds {
  const bound = (key: keyof Bounds, pick: (...values: number[]) => number): Bounds => {
    const given = [a[key], b[key]].filter((value) => value !== undefined);
    return given.length > 0 ? { [key]: pick(...given) } : {};
  };
  return { ...bound('ge', Math.max), ...bound('gt', Math.max), ...bound('le', Math.min), ...bound('lt', Math.min) };
}

export function rangeFits(range: Range, ways: readonly RangeBounds[]): boolean {
  return ways.some(
    ({ low, high }) => (!low || withinBounds(range.low, low)) && (!high || withinBounds(range.high, high)),
  );
}

export function rangeCondition(
  kind: RangeKind,
  name: string,
  repeats: boolean,
  ways: readonly RangeBounds[],
): Condition {
  return anyOf(ways.map((way) => ({ op: 'range', kind, name, repeats, ...way })));
}
