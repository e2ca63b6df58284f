import type { Answer } from '../../fhir-http/fhir-response';
import type { Call } from '../../fhir-http/fhir-request';
import { matchesToDelete } from './matches';
import { underLock } from './with-record-lock';

/** `DELETE /{release}/{Type}?criteria`: everything that matches, all or nothing. */
export async function conditionalDelete(call: Call, type: string): Promise<Answer> {
  if ((await matchesToDelete(call, type, call.query)).length === 0) return { status: 204 };
  return underLock(
    call,
    async (locked) => {
      const matches = await matchesToDelete(locked, type, call.query);
      await locked.record.write(
        matches.map(({ typeCode, id, version }) => ({ typeCode, id, delete: true, expectedVersion: version })),
      );
      return { status: 204 };
    },
    () => false,
  );
}
