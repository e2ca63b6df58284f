import { isJsonObject, parseDateTime, type JsonValue } from '@tributary/fhir-json';

/** An interval of time (epoch milliseconds) or of numbers. Both ends are inclusive. */
export interface Range {
  low: number;
  high: number;
}

type ParseDate = (text: string) => Range | undefined;

/** How a stored value can be compared: by its interval of time, or by the dates that it is written with. */
export interface DateRanges {
  range: Range;
  /**
   * The interval as if the time zone of the value were UTC; undefined when that is on the same dates. When a date is
   * searched, "dates do not have time zones, and time zones should not be considered".
   */
  local: Range | undefined;
}

/**
 * The interval of time of a stored date, Period or Timing: https://hl7.org/fhir/R4/search.html#date. A date without a
 * time is that of UTC.
 * @returns undefined when the value has no valid date
 */
export function dateRangeOf(type: string, value: JsonValue): Range | undefined {
  return rangeOf(type, value, parseDateTime);
}

/** The same with the dates that the value is written with. */
export function dateRangesOf(type: string, value: JsonValue): DateRanges | undefined {
  let isInZone = false;
  const range = rangeOf(type, value, (text) => {
    const parsed = parseDateTime(text);
    isInZone ||= parsed !== undefined && parsed.zoneMs !== 0;
    return parsed;
  });
  if (!range) return undefined;
  const local = isInZone ? rangeOf(type, value, parseIgnoringZone) : undefined;
  const isOnOtherDates = local && (dayOf(local.low) !== dayOf(range.low) || dayOf(local.high) !== dayOf(range.high));
  return { range, local: isOnOtherDates ? local : undefined };
}

/**
 * The interval that a search compares a stored value by.
 * @param isDate whether the searched value has no time of day
 */
export function comparedRange(type: string, value: JsonValue, isDate: boolean): Range | undefined {
  if (!isDate) return dateRangeOf(type, value);
  const ranges = dateRangesOf(type, value);
  return ranges?.local ?? ranges?.range;
}

const dayMs = 86_400_000;

function dayOf(time: number): number {
  return Math.floor(time / dayMs);
}

function parseIgnoringZone(text: string): Range | undefined {
  const parsed = parseDateTime(text);
  return parsed && { low: parsed.low + parsed.zoneMs, high: parsed.high + parsed.zoneMs };
}

function rangeOf(type: string, value: JsonValue, parse: ParseDate): Range | undefined {
  if (typeof value === 'string') return parse(value);
  if (!isJsonObject(value)) return undefined;
  if (type === 'Period') return periodRange(value['start'], value['end'], parse);
  if (type === 'Timing') return timingRange(value['event'], value['repeat'], parse);
  return undefined;
}

function periodRange(start: JsonValue | undefined, end: JsonValue | undefined, parse: ParseDate): Range | undefined {
  const from = typeof start === 'string' ? parse(start) : undefined;
  const to = typeof end === 'string' ? parse(end) : undefined;
  if (!from && !to) return undefined;
  return { low: from?.low ?? -Infinity, high: to?.high ?? Infinity };
}

/** From the first event of a Timing to its last, as the specification requires. Single repetitions are not compared. */
function timingRange(
  events: JsonValue | undefined,
  repeat: JsonValue | undefined,
  parse: ParseDate,
): Range | undefined {
  const ranges: Range[] = (Array.isArray(events) ? events : [events]).flatMap((event) =>
    typeof event === 'string' ? (parse(event) ?? []) : [],
  );
  const bounds = isJsonObject(repeat) ? repeat['boundsPeriod'] : undefined;
  const within = isJsonObject(bounds) ? periodRange(bounds['start'], bounds['end'], parse) : undefined;
  if (within) ranges.push(within);
  if (ranges.length === 0) return undefined;
  return { low: Math.min(...ranges.map((range) => range.low)), high: Math.max(...ranges.map((range) => range.high)) };
}
