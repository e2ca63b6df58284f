import { parseDateTimeParameter, type DateTime } from '@tributary/fhir-json';
import { badRequest } from './fhir-error';

/**
 * Parses a date or time of the URL query. Without a time zone it is read as UTC.
 * @throws FhirError 400 when the text is no date or time
 */
export function dateParameter(name: string, text: string): DateTime {
  const date = parseDateTimeParameter(text);
  if (date === undefined) throw badRequest(`${name} takes a date or time`, 'value');
  return date;
}
