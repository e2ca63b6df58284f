import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { matchesToDelete } from './matches';
import { withRecordLock } from './with-record-lock';

/** `DELETE /{release}/{Type}?criteria`: everything that matches, all or nothing. */
export async function conditionalDelete(request: FhirRequest, type: string): Promise<FhirResponse> {
  if ((await matchesToDelete(request, type, request.query)).length === 0) return { status: 204 };
  return withRecordLock(
    request,
    async (locked) => {
      const matches = await matchesToDelete(locked, type, request.query);
      await locked.record.write(
        matches.map(({ typeCode, id, version }) => ({ typeCode, id, delete: true, expectedVersion: version })),
      );
      return { status: 204 };
    },
    () => false,
  );
}
