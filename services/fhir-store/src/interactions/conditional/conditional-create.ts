import { type ChangeOutcome, VersionConflictError, typeCodeOf } from '@tributary/record-storage';
import type { Resource } from '@tributary/fhir-json';
import type { Answer } from '../../fhir-http/fhir-response';
import type { Call, ReadingCall } from '../../fhir-http/fhir-request';
import { clientContent } from '../../resources/resource-content';
import { newResourceId } from '../../resources/resource-id';
import { versionAnswer } from '../read';
import { writtenAnswer } from '../write-response';
import { type Match, criteriaIn, onlyMatch } from './matches';
import { underLock } from './with-record-lock';

/** `POST /{release}/{Type}` with If-None-Exist: what matches is answered instead of creating another. */
export async function conditionalCreate(
  call: Call,
  type: string,
  resource: Resource,
  ifNoneExist: string,
): Promise<Answer> {
  const criteria = criteriaIn(ifNoneExist);
  const content = clientContent(call, resource);
  // A creation that is repeated is answered without the lock.
  const known = await existing(call, type, await onlyMatch(call, type, criteria));
  if (known) return known;
  return underLock(
    call,
    async (locked) => {
      const match = await onlyMatch(locked, type, criteria);
      if (match) return keptAnswer(locked, type, match);
      const [created] = await locked.record.write(
        [{ typeCode: typeCodeOf(call.release, type), id: newResourceId(), ...content }],
        { returnLines: true },
      );
      return outcomeAnswer(call, created as ChangeOutcome);
    },
    () => false,
  );
}

/** The answer that shows what matched. @throws VersionConflictError when it was deleted since */
export async function keptAnswer(call: ReadingCall, type: string, match: Match): Promise<Answer> {
  const answer = await existing(call, type, match);
  if (!answer) throw new VersionConflictError(match.typeCode, match.id, match.version, undefined);
  return answer;
}

/** The answer to a write of a batch of changes. */
export function outcomeAnswer(call: ReadingCall, outcome: ChangeOutcome): Answer {
  return writtenAnswer(call, outcome.outcome === 'created' ? 201 : 200, { ...outcome, line: outcome.line as Buffer });
}

async function existing(call: ReadingCall, type: string, match: Match | undefined): Promise<Answer | undefined> {
  const stored = match && (await call.record.read(match.typeCode, match.id));
  if (!stored?.line) return undefined;
  return {
    ...versionAnswer({ ...call, headers: {} }, type, stored),
    location: `${call.base}/${type}/${stored.id}/_history/${stored.version}`,
  };
}
