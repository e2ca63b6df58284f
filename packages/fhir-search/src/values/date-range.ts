import { isJsonObject, type JsonValue } from '@tributary/fhir-json';

/** A stretch of time or of numbers, both ends inclusive. */
export interface Range {
  low: number;
  high: number;
}

const pattern = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/;
const day = 86_400_000;
const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Everything that a FHIR date, dateTime or instant of any precision may mean, in epoch milliseconds; UTC when it names no zone. */
export function dateRange(text: string): Range | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, years, months, days, hours, minutes, seconds, fraction, zone] = match;
  const year = Number(years);
  if (months === undefined) return { low: utc(year, 1, 1), high: utc(year + 1, 1, 1) - 1 };
  const month = Number(months);
  if (month < 1 || month > 12) return undefined;
  if (days === undefined)
    return { low: utc(year, month, 1), high: (month === 12 ? utc(year + 1, 1, 1) : utc(year, month + 1, 1)) - 1 };
  const dayOfMonth = Number(days);
  if (dayOfMonth < 1 || dayOfMonth > lastDay(year, month)) return undefined;
  const midnight = utc(year, month, dayOfMonth);
  if (hours === undefined) return { low: midnight, high: midnight + day - 1 };
  return timeRange(midnight, hours, minutes, seconds, fraction, zone);
}

function timeRange(
  midnight: number,
  hours: string,
  minutes: string | undefined,
  seconds: string | undefined,
  fraction: string | undefined,
  zone: string | undefined,
): Range | undefined {
  const hour = Number(hours);
  const minute = Number(minutes);
  const second = Number(seconds ?? 0);
  const offset = offsetOf(zone);
  // 60 is a leap second; 24:00 is the end of the day.
  if (minute > 59 || second > 60 || offset === undefined || hour > 24 || (hour === 24 && minute + second > 0))
    return undefined;
  const start = midnight + ((hour * 60 + minute) * 60 + second) * 1000 - offset;
  if (seconds === undefined) return { low: start, high: start + 59_999 };
  if (fraction === undefined) return { low: start, high: start + 999 };
  const digits = fraction.length;
  const low = start + Math.floor(Number(`0.${fraction}`) * 1000 + 1e-9);
  return { low, high: digits >= 3 ? low : low + 10 ** (3 - digits) - 1 };
}

function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 14 || minutes > 59) return undefined;
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

function lastDay(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (daysOfMonth[month - 1] ?? 0) + (leap ? 1 : 0);
}

/** Days before the year 100 are not the 1900s, as Date.UTC would have it. */
function utc(year: number, month: number, dayOfMonth: number): number {
  if (year > 99) return Date.UTC(year, month - 1, dayOfMonth);
  return new Date(0).setUTCFullYear(year, month - 1, dayOfMonth);
}

/** The stretch of time of a value of a date parameter: a date, a Period or a Timing. */
export function dateRangeOf(type: string, value: JsonValue): Range | undefined {
  if (typeof value === 'string') return dateRange(value);
  if (!isJsonObject(value)) return undefined;
  if (type === 'Period') return periodRange(value['start'], value['end']);
  if (type === 'Timing') return timingRange(value['event'], value['repeat']);
  return undefined;
}

function periodRange(start: JsonValue | undefined, end: JsonValue | undefined): Range | undefined {
  const from = typeof start === 'string' ? dateRange(start) : undefined;
  const to = typeof end === 'string' ? dateRange(end) : undefined;
  if (!from && !to) return undefined;
  return { low: from?.low ?? -Infinity, high: to?.high ?? Infinity };
}

/** A Timing stands for the time from its first event to its last; its repetitions in between are not searched. */
function timingRange(events: JsonValue | undefined, repeat: JsonValue | undefined): Range | undefined {
  const ranges = (Array.isArray(events) ? events : [events]).flatMap((event) =>
    typeof event === 'string' ? (dateRange(event) ?? []) : [],
  );
  const bounds = isJsonObject(repeat) ? repeat['boundsPeriod'] : undefined;
  const within = isJsonObject(bounds) ? periodRange(bounds['start'], bounds['end']) : undefined;
  if (within) ranges.push(within);
  if (ranges.length === 0) return undefined;
  return { low: Math.min(...ranges.map((range) => range.low)), high: Math.max(...ranges.map((range) => range.high)) };
}
