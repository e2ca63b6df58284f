import type { Release } from '@tributary/fhir-definitions';

const DATE = /^(-?)(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d+)?$/;
const ZONE = /(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/;

const LAST_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A date, year and month, or year. Before r4 a year may be negative or zero; days that no calendar has are refused in all. */
export function isDate(release: Release, text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [, sign, year, month, day] = match;
  if (release === 'r4' && (sign === '-' || year === '0000')) return false;
  if (month === undefined) return true;
  const lastDay = LAST_DAYS[Number(month) - 1];
  if (lastDay === undefined) return false;
  if (day === undefined) return true;
  const last = month === '02' && !isLeapYear(Number(year)) ? 28 : lastDay;
  return Number(day) >= 1 && Number(day) <= last;
}

/** A date, or a date with a time and a time zone. */
export function isDateTime(release: Release, text: string): boolean {
  return isDate(release, text) || isInstant(release, text);
}

/** A whole date with a time to the second at least, and a time zone. */
export function isInstant(release: Release, text: string): boolean {
  const split = text.indexOf('T');
  if (split < 10) return false;
  const zone = ZONE.exec(text.slice(-6));
  return (
    zone !== null &&
    isWholeDate(release, text.slice(0, split)) &&
    isTime(release, text.slice(split + 1, text.length - zone[0].length))
  );
}

/** A time to the second at least. Only r4 knows the leap second. */
export function isTime(release: Release, text: string): boolean {
  const match = TIME.exec(text);
  return match !== null && (release === 'r4' || match[1] !== '60');
}

function isWholeDate(release: Release, text: string): boolean {
  return isDate(release, text) && text.lastIndexOf('-') >= 7;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
