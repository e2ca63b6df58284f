import { VersionConflictError, kindOf } from '@tributary/record-storage';
import type { Resource } from '@tributary/fhir-json';
import type { Answer } from '../../http/answer';
import type { Call } from '../../http/call';
import { clientContent } from '../../records/resource-content';
import { newResourceId } from '../../records/resource-id';
import { versionAnswer } from '../read';
import type { Found } from '../search/found';
import { writtenAnswer } from '../written-answer';
import { criteriaIn, idForCriteria, onlyMatch } from './matches';

/** `POST /{release}/{Type}` with If-None-Exist: what matches is answered instead of creating another. */
export async function conditionalCreate(call: Call, type: string, resource: Resource, ifNoneExist: string): Promise<Answer> {
  const criteria = criteriaIn(ifNoneExist);
  const match = await onlyMatch(call, type, criteria);
  return match ? existing(call, type, match) : createUnlessMatched(call, type, resource, criteria, (found) => existing(call, type, found));
}

/** Creates a resource because nothing matched; when somebody else was quicker, does with theirs what `otherwise` says. */
export async function createUnlessMatched(call: Call, type: string, resource: Resource, criteria: URLSearchParams, otherwise: (match: Found) => Promise<Answer>): Promise<Answer> {
  const kind = kindOf(call.release, type);
  const content = clientContent(call, resource);
  try {
    return writtenAnswer(call, 201, await call.record.update(kind, await idForCriteria(call, type, criteria), content, 0));
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    const match = await onlyMatch(call, type, criteria);
    if (match) return otherwise(match);
    // What once was created under this id has changed since and matches no more.
    return writtenAnswer(call, 201, await call.record.create(kind, newResourceId(), content));
  }
}

async function existing(call: Call, type: string, { kind, id }: Found): Promise<Answer> {
  const stored = await call.record.read(kind, id);
  const location = stored && `${call.base}/${type}/${id}/_history/${stored.version}`;
  return { ...versionAnswer({ ...call, headers: {} }, type, stored), location };
}
