import { parseDateTimeParameter } from '@tributary/fhir-json';

/** A period; the end is exclusive. Epoch milliseconds. */
export interface TimeRange {
  from: number;
  before: number;
}

/**
 * The periods in which an instant matches the value of a date parameter, with its prefix
 * (https://hl7.org/fhir/R4/search.html#date).
 * @param now epoch milliseconds, for `ap`: it allows a tenth of the time between now and the date
 * @returns undefined when the text is no date
 */
export function dateRanges(text: string, now: number): TimeRange[] | undefined {
  const [, prefix = 'eq', rest = ''] = /^(eq|ne|gt|lt|ge|le|sa|eb|ap)?(\d.*)$/.exec(text) ?? [];
  const date = parseDateTimeParameter(rest);
  if (!date) return undefined;
  const { low, high } = date;
  const [before, after] = [
    { from: -Infinity, before: low },
    { from: high + 1, before: Infinity },
  ];
  switch (prefix) {
    case 'ne':
      return [before, after];
    case 'gt':
    case 'sa':
      return [after];
    case 'lt':
    case 'eb':
      return [before];
    case 'ge':
      return [{ from: low, before: Infinity }];
    case 'le':
      return [{ from: -Infinity, before: high + 1 }];
    case 'ap': {
      const margin = Math.round(Math.max(Math.abs(now - low), Math.abs(now - high)) / 10);
      return [{ from: low - margin, before: high + margin + 1 }];
    }
    default:
      return [{ from: low, before: high + 1 }];
  }
}

export function isWithin(time: number, ranges: readonly TimeRange[]): boolean {
  return ranges.some(({ from, before }) => time >= from && time < before);
}
