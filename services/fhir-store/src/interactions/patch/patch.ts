import { typeCodeOf } from '@tributary/record-storage';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { FhirError } from '../../fhir-http/fhir-error';
import { isJson } from '../../fhir-http/content-negotiation';
import { parseBody } from '../../fhir-http/request-body';
import { clientContent } from '../../resources/resource-content';
import { planPatch } from '../conditional/plan-conditional';
import { type PlannedStore, isExpected } from '../conditional/planned-write';
import { carryOut, repeatOnConflict } from '../conditional/with-record-lock';
import { writeResponse } from '../write-response';
import { isParameters } from '../operations/parameters';
import { applyFhirPathPatch } from './fhirpath-patch';
import { applyJsonPatch } from './json-patch';
import type { Patch } from './patched-resource';

/**
 * `PATCH /{release}/{Type}/{id}` with a JSON Patch, or in r4 a FHIRPath Patch
 * (https://hl7.org/fhir/R4/http.html#patch).
 * @throws FhirError 400 for an invalid patch, 404 or 410 without the resource, 412 when If-Match fails, 415 for another
 * media type, 422 when the patch does not fit the resource or the result is invalid
 */
export async function patchInstance(request: FhirRequest, type: string, id: string): Promise<FhirResponse> {
  return patchWith(request, type, id, await readPatch(request));
}

/** Stores the patched resource. @throws FhirError as `patchInstance` */
export function patchWith(request: FhirRequest, type: string, id: string, patch: Patch): Promise<FhirResponse> {
  let plan: PlannedStore | undefined;
  return repeatOnConflict(
    async () => {
      plan = await planPatch(request, type, id, patch);
      const content = clientContent(request, plan.resource);
      const written = await request.record.update(typeCodeOf(request.release, type), id, content, plan.expectedVersion);
      return writeResponse(request, 200, written);
    },
    (conflict) => isExpected(request, plan ? [plan] : [], conflict),
  );
}

/**
 * `PATCH /{release}/{Type}?criteria` (https://hl7.org/fhir/R4/http.html#patch).
 * @throws FhirError as `patchInstance`; 412 also when several resources match
 */
export async function conditionalPatch(request: FhirRequest, type: string): Promise<FhirResponse> {
  const patch = await readPatch(request);
  return carryOut(request, (locked) => planPatch(locked, type, undefined, patch));
}

async function readPatch(request: FhirRequest): Promise<Patch> {
  if (request.contentType === 'application/json-patch+json') {
    const patch = parseBody(await request.text());
    return (resource) => applyJsonPatch(resource, patch);
  }
  if (request.release !== 'r4' || !isJson(request.contentType)) throw notAPatch(request);
  const parameters = await request.body();
  if (!isParameters(parameters)) throw notAPatch(request);
  return (resource) => applyFhirPathPatch(resource, parameters);
}

/**
 * The error for a body of another media type than that of a patch. Accept-Patch lists these (RFC 5789, section 3.1).
 */
function notAPatch({ release }: FhirRequest): FhirError {
  const fhirPath = release === 'r4' ? ', or a FHIRPath Patch (a Parameters resource) as application/fhir+json' : '';
  return new FhirError(415, `send a JSON Patch as application/json-patch+json${fhirPath}`, 'not-supported', {
    'Accept-Patch': `application/json-patch+json${release === 'r4' ? ', application/fhir+json' : ''}`,
  });
}
