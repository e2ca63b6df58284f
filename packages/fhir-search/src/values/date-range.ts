import { isJsonObject, parseDateTime, type JsonValue } from '@tributary/fhir-json';

/** An interval of time (epoch milliseconds) or of numbers. Both ends are inclusive. */
export interface Range {
  low: number;
  high: number;
}

/**
 * The interval that a date search compares a stored date, Period or Timing by:
 * https://hl7.org/fhir/R4/search.html#date.
 * @returns undefined when the value has no valid date
 */
export function dateRangeOf(type: string, value: JsonValue): Range | undefined {
  if (typeof value === 'string') return parseDateTime(value);
  if (!isJsonObject(value)) return undefined;
  if (type === 'Period') return periodRange(value['start'], value['end']);
  if (type === 'Timing') return timingRange(value['event'], value['repeat']);
  return undefined;
}

function periodRange(start: JsonValue | undefined, end: JsonValue | undefined): Range | undefined {
  const from = typeof start === 'string' ? parseDateTime(start) : undefined;
  const to = typeof end === 'string' ? parseDateTime(end) : undefined;
  if (!from && !to) return undefined;
  return { low: from?.low ?? -Infinity, high: to?.high ?? Infinity };
}

/** From the first event of a Timing to its last, as the specification requires. Single repetitions are not compared. */
function timingRange(events: JsonValue | undefined, repeat: JsonValue | undefined): Range | undefined {
  const ranges: Range[] = (Array.isArray(events) ? events : [events]).flatMap((event) =>
    typeof event === 'string' ? (parseDateTime(event) ?? []) : [],
  );
  const bounds = isJsonObject(repeat) ? repeat['boundsPeriod'] : undefined;
  const within = isJsonObject(bounds) ? periodRange(bounds['start'], bounds['end']) : undefined;
  if (within) ranges.push(within);
  if (ranges.length === 0) return undefined;
  return { low: Math.min(...ranges.map((range) => range.low)), high: Math.max(...ranges.map((range) => range.high)) };
}
