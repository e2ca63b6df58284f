import { type ChangeOutcome, typeCodeOf } from '@tributary/record-storage';
import type { Answer } from '../../fhir-http/fhir-response';
import type { Call } from '../../fhir-http/fhir-request';
import { badRequest, preconditionFailed } from '../../fhir-http/fhir-error';
import { clientContent } from '../../resources/resource-content';
import { newResourceId } from '../../resources/resource-id';
import { expectedVersion } from '../expected-version';
import { readResource } from '../valid-resource';
import { assertAssignable } from '../update';
import { outcomeAnswer } from './conditional-create';
import { type Match, onlyMatch } from './matches';
import { underLock } from './with-record-lock';

/** `PUT /{release}/{Type}?criteria`: updates what matches; without a match creates, under the id of the resource if it has one. */
export async function conditionalUpdate(call: Call, type: string): Promise<Answer> {
  const resource = await readResource(call, type);
  if (resource.id !== undefined) assertAssignable(resource.id);
  const content = clientContent(call, resource);
  const typeCode = typeCodeOf(call.release, type);
  let expected: number | undefined;
  return underLock(
    call,
    async (locked) => {
      const match = await onlyMatch(locked, type, call.query);
      if (match && resource.id !== undefined && resource.id !== match.id)
        throw badRequest('the resource that matches the criteria has another id');
      const id = match?.id ?? resource.id ?? newResourceId();
      expected = await expectedVersion(locked, type, id);
      assertExpectedMatch(match, expected);
      const [written] = await locked.record.write(
        [{ typeCode, id, ...content, isIdChosen: resource.id !== undefined, expectedVersion: match?.version ?? 0 }],
        { returnLines: true },
      );
      return outcomeAnswer(call, written as ChangeOutcome);
    },
    // Without a match nothing but an id that is taken can be in conflict.
    ({ expected: version }) => version === 0 || version === expected,
  );
}

/** @throws FhirError 412 when what matches, or that nothing matches, is not what the caller expects */
export function assertExpectedMatch(match: Match | undefined, expected: number | undefined): void {
  if (expected !== undefined && expected !== (match?.version ?? 0))
    throw preconditionFailed('the resource is not at the expected version');
}
