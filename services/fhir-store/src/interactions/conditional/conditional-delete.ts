import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { deletedResponse } from '../write-response';
import { hasMatch, matchesToDelete } from './matches';
import { withRecordLock } from './with-record-lock';

/**
 * `DELETE /{release}/{Type}?criteria`: deletes all matches in one transaction (conditional delete,
 * https://hl7.org/fhir/R4/http.html#delete).
 * @throws FhirError 412 when there is no criterion, 400 when more than `limits.conditionalDeletes` resources
 * match
 */
export async function conditionalDelete(request: FhirRequest, type: string): Promise<FhirResponse> {
  if (!(await hasMatch(request, type, request.query))) return deletedResponse(request, 0);
  return withRecordLock(
    request,
    async (locked) => {
      const matches = await matchesToDelete(locked, type, request.query);
      await locked.record.write(
        matches.map(({ typeCode, id, version }) => ({ typeCode, id, delete: true, expectedVersion: version })),
      );
      return deletedResponse(locked, matches.length);
    },
    () => false,
  );
}
