import { releases } from '@tributary/fhir-definitions';
import { type ExportScope, type RecordExport, typeCodeOf } from '@tributary/record-storage';
import { HttpError } from '@tributary/service-kit';

const patientTypeCodes = releases.map((release) => typeCodeOf(release, 'Patient'));

/** Stored resources have no other ids. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An export of patients that are not there is refused, not answered with nothing. @throws HttpError 400 */
export async function requirePatients(
  reader: RecordExport,
  scope: ExportScope,
  patients: readonly string[],
): Promise<void> {
  const ids = patients.filter((id) => uuid.test(id));
  const known = await reader.findResources(scope, patientTypeCodes, ids);
  if (patients.every((id) => known.has(id))) return;
  throw new HttpError(400, 'unknown_patient', 'patient: there is no such Patient among the data of this export');
}
