import type { Release } from '@tributary/fhir-definitions';
import { parseDateTime, type DateTimePrecision } from '@tributary/fhir-json';

const DATE_PRECISIONS: readonly DateTimePrecision[] = ['year', 'month', 'day'];
const INSTANT_PRECISIONS: readonly DateTimePrecision[] = ['second', 'fraction'];
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d+)?$/;

/** A year, year and month, or date: https://hl7.org/fhir/R4/datatypes.html#date. */
export function isDate(release: Release, text: string): boolean {
  const date = parseElement(release, text);
  return date !== undefined && DATE_PRECISIONS.includes(date.precision);
}

/** A date, or an instant: https://hl7.org/fhir/R4/datatypes.html#dateTime. */
export function isDateTime(release: Release, text: string): boolean {
  return isDate(release, text) || isInstant(release, text);
}

/** A date with a time of at least second precision and a time zone: https://hl7.org/fhir/R4/datatypes.html#instant. */
export function isInstant(release: Release, text: string): boolean {
  const instant = parseElement(release, text);
  return (
    instant !== undefined &&
    !instant.lacksZone &&
    INSTANT_PRECISIONS.includes(instant.precision) &&
    (release === 'r4' || !instant.isLeapSecond)
  );
}

/**
 * A time of day of at least second precision: https://hl7.org/fhir/R4/datatypes.html#time. Only R4 allows the leap
 * second.
 */
export function isTime(release: Release, text: string): boolean {
  const match = TIME.exec(text);
  return match !== null && (release === 'r4' || match[1] !== '60');
}

/** DSTU2 and STU3 allow a year to be zero or negative; R4 does not. */
function parseElement(release: Release, text: string): ReturnType<typeof parseDateTime> {
  if (release === 'r4') return text.startsWith('0000') ? undefined : parseDateTime(text);
  return parseDateTime(text.startsWith('-') ? text.slice(1) : text);
}
