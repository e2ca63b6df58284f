import { releases } from '@tributary/fhir-definitions';
import { type ExportScope, type RecordExport, kindOf } from '@tributary/record-storage';
import { HttpError } from '@tributary/service-kit';

const patientKinds = releases.map((release) => kindOf(release, 'Patient'));

/** An export of patients that are not there is refused, not answered with nothing. @throws HttpError 400 */
export async function requirePatients(reader: RecordExport, scope: ExportScope, at: number, patients: readonly string[]): Promise<void> {
  const missing = new Set(patients);
  for (const file of await reader.plan({ scope, at, kinds: patientKinds })) {
    const noting = (line: Buffer): Buffer => {
      for (const id of missing) if (line.includes(`"id":"${id}"`)) missing.delete(id);
      return line;
    };
    const pieces = reader.streamFile(file, { encoding: 'identity', filter: noting })[Symbol.asyncIterator]();
    while (missing.size > 0 && !(await pieces.next()).done);
    await pieces.return?.();
    if (missing.size === 0) return;
  }
  throw new HttpError(400, 'unknown_patient', 'patient: there is no such Patient among the data of this export');
}
