import { releases } from '@tributary/fhir-definitions';
import { type ExportScope, type RecordExport, typeCodeOf, isResourceId } from '@tributary/record-storage';
import { HttpError } from '@tributary/service-kit';

const patientTypeCodes = releases.map((release) => typeCodeOf(release, 'Patient'));

/** An export of patients that are not there is refused, not answered with nothing. @throws HttpError 400 */
export async function requirePatients(
  reader: RecordExport,
  scope: ExportScope,
  patients: readonly string[],
): Promise<void> {
  const ids = patients.filter(isResourceId);
  const known = await reader.findResources(scope, patientTypeCodes, ids);
  if (patients.every((id) => known.has(id))) return;
  throw new HttpError('unknown_patient', 'patient: there is no such Patient among the data of this export');
}
