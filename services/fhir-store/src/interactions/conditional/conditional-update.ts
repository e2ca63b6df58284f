import type { Answer } from '../../http/answer';
import type { Call } from '../../http/call';
import { badRequest } from '../../http/fhir-error';
import { readResource } from '../read-resource';
import { updateWith } from '../update';
import { createUnlessMatched } from './conditional-create';
import { onlyMatch } from './matches';

/** `PUT /{release}/{Type}?criteria`: updates what matches; without a match creates, under the id of the resource if it has one. */
export async function conditionalUpdate(call: Call, type: string): Promise<Answer> {
  const resource = await readResource(call, type);
  const match = await onlyMatch(call, type, call.query);
  if (match) return updateMatch(match.id);
  if (resource.id !== undefined) return updateWith({ ...call, headers: { ...call.headers, ifNoneMatch: '*' } }, type, resource.id, resource);
  return createUnlessMatched(call, type, resource, call.query, ({ id }) => updateMatch(id));

  function updateMatch(id: string): Promise<Answer> {
    if (resource.id !== undefined && resource.id !== id) throw badRequest('the resource that matches the criteria has another id');
    return updateWith(call, type, id, resource);
  }
}
