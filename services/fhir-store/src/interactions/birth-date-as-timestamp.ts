import { stringifyJson } from '@tributary/fhir-json';
import { parseResource } from '../resources/resource-content';

const wholeDate = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The answer to the creation of a Patient shows birthDate as a full timestamp (specification, "FHIR resources"); what is stored keeps the
 * native date. A date without a day stays as it is, since a timestamp would say more than is known.
 */
export function birthDateAsTimestamp(json: Buffer): Buffer | string {
  const patient = parseResource(json);
  const { birthDate } = patient;
  if (typeof birthDate !== 'string' || !wholeDate.test(birthDate)) return json;
  return stringifyJson({ ...patient, birthDate: `${birthDate}T00:00:00.000Z` });
}
