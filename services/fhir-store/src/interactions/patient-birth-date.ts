import { type Resource, stringifyJson } from '@tributary/fhir-json';
import { parseResource } from '../resources/resource-content';

const wholeDate = /^\d{4}-\d{2}-\d{2}$/;
const midnight = /^(\d{4}-\d{2}-\d{2})T00:00:00(?:\.0+)?(?:Z|[+-]00:00)$/;

/**
 * Converts birthDate of a Patient created in dstu2 to a full timestamp, as the service specification shows the
 * response. The stored resource keeps the date, and so do the responses of the other releases, in which clients
 * validate them. A date without a day is not converted, because its precision is lower than that of a timestamp.
 */
export function birthDateAsTimestamp(json: Buffer): Buffer | string {
  const patient = parseResource(json);
  const { birthDate } = patient;
  if (typeof birthDate !== 'string' || !wholeDate.test(birthDate)) return json;
  return stringifyJson({ ...patient, birthDate: `${birthDate}T00:00:00.000Z` });
}

/**
 * A submitted resource in which birthDate of a Patient is a date. A client may send back the timestamp that the
 * response of a create in dstu2 has (contract, amendment FHIR search): midnight in UTC is taken as its date.
 */
export function withBirthDateAsDate(resource: Resource): Resource {
  const { resourceType, birthDate } = resource;
  if (resourceType !== 'Patient' || typeof birthDate !== 'string') return resource;
  const [, date] = midnight.exec(birthDate) ?? [];
  return date === undefined ? resource : { ...resource, birthDate: date };
}
