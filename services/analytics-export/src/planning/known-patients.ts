import { releases } from '@tributary/fhir-definitions';
import {
  type ExportScope,
  type ExportedRecords,
  findResources,
  isResourceId,
  typeCodeOf,
} from '@tributary/record-storage';
import { HttpError } from '@tributary/service-kit';

const patientTypeCodes = releases.map((release) => typeCodeOf(release, 'Patient'));

/**
 * Refuses an export of patients that are not in its scope, instead of returning an empty one.
 * @throws HttpError 400
 */
export async function requirePatients(
  records: ExportedRecords,
  scope: ExportScope,
  patients: readonly string[],
): Promise<void> {
  const ids = patients.filter(isResourceId);
  const known = await findResources(records, scope, patientTypeCodes, ids);
  if (patients.every((id) => known.has(id))) return;
  throw new HttpError('unknown_patient', 'patient: there is no such Patient among the data of this export');
}
