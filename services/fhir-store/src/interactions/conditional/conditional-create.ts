import { type ChangeOutcome, VersionConflictError, typeCodeOf } from '@tributary/record-storage';
import type { Resource } from '@tributary/fhir-json';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest, ReadRequest } from '../../fhir-http/fhir-request';
import { clientContent } from '../../resources/resource-content';
import { newResourceId } from '../../resources/resource-id';
import { versionResponse } from '../read';
import { writeResponse } from '../write-response';
import { type Match, criteriaIn, onlyMatch } from './matches';
import { withRecordLock } from './with-record-lock';

/**
 * `POST /{release}/{Type}` with If-None-Exist: returns the match of the criteria, or creates the resource
 * (https://hl7.org/fhir/R4/http.html#ccreate).
 * @throws FhirError 412 when several resources match
 */
export async function conditionalCreate(
  request: FhirRequest,
  type: string,
  resource: Resource,
  ifNoneExist: string,
): Promise<FhirResponse> {
  const criteria = criteriaIn(ifNoneExist);
  const content = clientContent(request, resource);
  // A repeated create finds the resource without the lock.
  const known = await existing(request, type, await onlyMatch(request, type, criteria));
  if (known) return known;
  return withRecordLock(
    request,
    async (locked) => {
      const match = await onlyMatch(locked, type, criteria);
      if (match) return matchResponse(locked, type, match);
      const [created] = await locked.record.write(
        [{ typeCode: typeCodeOf(request.release, type), id: newResourceId(), ...content }],
        { returnJson: true },
      );
      return changeResponse(request, created as ChangeOutcome);
    },
    () => false,
  );
}

/** The response with a match. @throws VersionConflictError when the match was deleted after the search */
export async function matchResponse(request: ReadRequest, type: string, match: Match): Promise<FhirResponse> {
  const response = await existing(request, type, match);
  if (!response) throw new VersionConflictError(match.typeCode, match.id, match.version, undefined);
  return response;
}

/** The response of one change of a write. */
export function changeResponse(request: ReadRequest, outcome: ChangeOutcome): FhirResponse {
  return writeResponse(request, outcome.outcome === 'created' ? 201 : 200, {
    ...outcome,
    json: outcome.json as Buffer,
  });
}

async function existing(
  request: ReadRequest,
  type: string,
  match: Match | undefined,
): Promise<FhirResponse | undefined> {
  const stored = match && (await request.record.read(match.typeCode, match.id));
  if (!stored?.json) return undefined;
  return {
    ...versionResponse({ ...request, headers: {} }, type, stored),
    location: `${request.base}/${type}/${stored.id}/_history/${stored.version}`,
  };
}
