import { stringifyJson } from '@tributary/fhir-json';
import { parseResource } from '../resources/resource-content';

const wholeDate = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The response of the creation of a Patient has birthDate as a full timestamp (specification, "FHIR resources"); the stored resource keeps the
 * date. A date without a day is not changed, because a timestamp would claim a precision that the date lacks.
 */
export function birthDateAsTimestamp(json: Buffer): Buffer | string {
  const patient = parseResource(json);
  const { birthDate } = patient;
  if (typeof birthDate !== 'string' || !wholeDate.test(birthDate)) return json;
  return stringifyJson({ ...patient, birthDate: `${birthDate}T00:00:00.000Z` });
}
