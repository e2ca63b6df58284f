/** The smallest part that a date or time names. A fraction of a second is `fraction`, whatever its number of digits. */
export type DateTimePrecision = 'year' | 'month' | 'day' | 'minute' | 'second' | 'fraction';

/** A FHIR date, dateTime or instant. Its precision makes it an interval, whose ends are both inclusive. */
export interface DateTime {
  /** The first millisecond of the interval, in epoch milliseconds. */
  readonly low: number;
  /** The last millisecond of the interval, in epoch milliseconds. */
  readonly high: number;
  readonly precision: DateTimePrecision;
  /** How far its time zone is ahead of UTC, in milliseconds; 0 without one. */
  readonly zoneMs: number;
  /** Whether the text has a time of day but no time zone. It is read as UTC. */
  readonly lacksZone: boolean;
  /** Whether the second is 60, which only R4 allows. */
  readonly isLeapSecond: boolean;
}

/**
 * Parses a date, dateTime or instant by the regular expressions of FHIR R4: hours end at 23 ("24:00" is refused), a
 * second may be 60, a time zone is at most 14 hours from UTC. The day must exist in the calendar.
 *
 * Search parameters may omit seconds and the time zone (https://hl7.org/fhir/R4/search.html#date), so this parser
 * accepts both forms; resource elements may not (https://hl7.org/fhir/R4/datatypes.html#dateTime), which
 * fhir-validation checks by `precision` and `lacksZone`. Digits of a fraction after the third are ignored.
 *
 * @returns undefined when the text is no date or time
 */
export function parseDateTime(text: string): DateTime | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, yearText, monthText, dayText, hour, minute, second, fraction, zone] = match;
  const year = Number(yearText);
  if (monthText === undefined) return dateInterval('year', startOfDay(year, 1, 1), startOfDay(year + 1, 1, 1));
  const month = Number(monthText);
  if (dayText === undefined) return dateInterval('month', startOfDay(year, month, 1), startOfDay(year, month + 1, 1));
  const day = Number(dayText);
  if (day > 28 && day > daysOfMonth(year, month)) return undefined;
  const midnight = startOfDay(year, month, day);
  if (hour === undefined) return dateInterval('day', midnight, midnight + DAY_MS);

  const zoneMs = offsetMinutes(zone) * MINUTE_MS;
  const minutes = Number(hour) * 60 + Number(minute);
  const start = midnight + minutes * MINUTE_MS - zoneMs + Number(second ?? 0) * SECOND_MS;
  const lacksZone = zone === undefined;
  const isLeapSecond = second === '60';
  if (second === undefined)
    return { low: start, high: start + MINUTE_MS - 1, precision: 'minute', zoneMs, lacksZone, isLeapSecond };
  if (fraction === undefined)
    return { low: start, high: start + SECOND_MS - 1, precision: 'second', zoneMs, lacksZone, isLeapSecond };
  const low = start + Number(fraction.slice(0, 3).padEnd(3, '0'));
  const width = fraction.length >= 3 ? 1 : 10 ** (3 - fraction.length);
  return { low, high: low + width - 1, precision: 'fraction', zoneMs, lacksZone, isLeapSecond };
}

/**
 * Parses a date or time from a URL query, where the "+" of a time zone arrives as a space when the client did not
 * encode it.
 * @returns undefined when the text is no date or time
 */
export function parseDateTimeParameter(text: string): DateTime | undefined {
  return parseDateTime(text.replace(UNENCODED_PLUS, '+'));
}

const DATE_TIME =
  /^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.(\d+))?)?(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?)?)?)?$/;
const UNENCODED_PLUS = / (?=\d\d:\d\d$)/;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function dateInterval(precision: DateTimePrecision, low: number, next: number): DateTime {
  return { low, high: next - 1, precision, zoneMs: 0, lacksZone: false, isLeapSecond: false };
}

function offsetMinutes(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith('-') ? -minutes : minutes;
}

/** `month` is 1 to 13; 13 is January of the next year. */
function startOfDay(year: number, month: number, day: number): number {
  if (year > 99) return Date.UTC(year, month - 1, day);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function daysOfMonth(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeapYear ? 29 : (DAYS_OF_MONTH[month - 1] ?? 0);
}
