import type { Bounds, Condition, RangeCondition } from '@tributary/fhir-search';

const ALL: Condition = { op: 'all' };
const NONE: Condition = { op: 'or', of: [] };

/**
 * An equivalent condition that looks at fewer ranges: without conditions on ranges that no row has, such as local dates
 * where all times are in UTC, and with one condition instead of several on the same range, such as both ends of a
 * period.
 * @param hasRange whether a row has a range of the name
 */
export function simplified(condition: Condition, hasRange: (name: string) => boolean): Condition {
  switch (condition.op) {
    case 'has-range':
    case 'range':
      return hasRange(condition.name) ? condition : NONE;
    case 'not': {
      const of = simplified(condition.of, hasRange);
      if (isNone(of)) return ALL;
      return of.op === 'all' ? NONE : { op: 'not', of };
    }
    case 'or': {
      const of = condition.of.map((each) => simplified(each, hasRange)).filter((each) => !isNone(each));
      return of.find(isAll) ?? only(of) ?? { op: 'or', of };
    }
    case 'and': {
      const of = joined(condition.of.map((each) => simplified(each, hasRange)).filter((each) => !isAll(each)));
      return of.find(isNone) ?? only(of) ?? (of.length === 0 ? ALL : { op: 'and', of });
    }
    default:
      return condition;
  }
}

const isAll = ({ op }: Condition): boolean => op === 'all';
const isNone = (condition: Condition): boolean => condition.op === 'or' && condition.of.length === 0;
const only = (conditions: readonly Condition[]): Condition | undefined =>
  conditions.length === 1 ? conditions[0] : undefined;

/** A row has one range of a name that does not repeat, so that several conditions on it are one. */
function joined(conditions: readonly Condition[]): Condition[] {
  const ranges = new Map<string, RangeCondition>();
  const others: Condition[] = [];
  for (const condition of conditions) {
    if (condition.op !== 'range' || condition.repeats) others.push(condition);
    else {
      const { name, low = {}, high = {} } = condition;
      const other = ranges.get(name);
      ranges.set(name, other ? { ...other, low: within(other.low, low), high: within(other.high, high) } : condition);
    }
  }
  return [...ranges.values(), ...others];
}

function within(one: Bounds = {}, other: Bounds): Bounds {
  const bounds: Bounds = { ...one };
  for (const bound of ['ge', 'gt', 'le', 'lt'] as const) {
    const [known, value] = [one[bound], other[bound]];
    if (value === undefined) continue;
    const isLowest = bound === 'ge' || bound === 'gt';
    bounds[bound] = known === undefined ? value : isLowest ? Math.max(known, value) : Math.min(known, value);
  }
  return bounds;
}
