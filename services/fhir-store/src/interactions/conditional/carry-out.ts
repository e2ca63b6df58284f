import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest, ReadRequest } from '../../fhir-http/fhir-request';
import { type PlannedWrite, changesOf, isExpected, outcomesByKey, responseOf } from './planned-write';
import { withRecordLock } from './with-record-lock';

/**
 * Carries out one conditional interaction.
 * @param planWrite plans the write of a validated resource, while the lock of the record is held
 */
export async function carryOut(
  request: FhirRequest,
  planWrite: (locked: ReadRequest) => Promise<PlannedWrite>,
): Promise<FhirResponse> {
  let plan: PlannedWrite | undefined;
  return withRecordLock(
    request,
    async (locked) => {
      plan = await planWrite(locked);
      const resource = plan.effect === 'store' ? plan.resource : undefined;
      const outcomes = await locked.record.write(changesOf(request, plan, resource), { returnJson: true });
      return responseOf(locked, plan, outcomesByKey(outcomes));
    },
    (conflict) => isExpected(request, plan ? [plan] : [], conflict),
  );
}
