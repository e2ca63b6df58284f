import { stringifyJson } from '@tributary/fhir-json';
import { parseResource } from '../resources/resource-content';

const wholeDate = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Converts birthDate of a created Patient to a full timestamp, as the service specification requires of the response.
 * The stored resource keeps the date. A date without a day is not converted, because its precision is lower than that
 * of a timestamp.
 */
export function birthDateAsTimestamp(json: Buffer): Buffer | string {
  const patient = parseResource(json);
  const { birthDate } = patient;
  if (typeof birthDate !== 'string' || !wholeDate.test(birthDate)) return json;
  return stringifyJson({ ...patient, birthDate: `${birthDate}T00:00:00.000Z` });
}
