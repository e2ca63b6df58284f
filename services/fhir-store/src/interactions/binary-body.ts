import { type JsonObject, type JsonValue, isJsonObject } from '@tributary/fhir-json';
import { isJson } from '../fhir-http/content-negotiation';
import { badRequest, contentTooLarge } from '../fhir-http/fhir-error';
import type { FhirRequest } from '../fhir-http/fhir-request';

/**
 * A request that creates or updates a Binary whose body can be the content itself, in any media type: it becomes the
 * content of a Binary, and the header X-Security-Context its `securityContext`
 * (https://hl7.org/fhir/R4/binary.html#rest). Only JSON of a Binary is taken as the resource.
 * @param id the id of an updated resource
 */
export function withBinaryBody(request: FhirRequest, type: string, id?: string): FhirRequest {
  return type === 'Binary' ? { ...request, body: () => binaryBody(request, id) } : request;
}

async function binaryBody(request: FhirRequest, id: string | undefined): Promise<JsonValue> {
  const { contentType, fullContentType = '' } = request;
  if (contentType === undefined) return request.body();
  if (isJson(contentType)) {
    const value = await request.body();
    if (isJsonObject(value) && value['resourceType'] === 'Binary') return value;
  }
  const content = await (request.uploaded ?? request.bytes)();
  if (content.length === 0) throw badRequest('the request has no body', 'structure');
  const { nativeBytes } = request.contentLimits;
  if (typeof content !== 'string' && content.length > nativeBytes) throw contentTooLarge(nativeBytes);
  return {
    resourceType: 'Binary',
    ...(id === undefined ? {} : { id }),
    contentType: fullContentType.trim(),
    ...securityContextOf(request),
    [request.release === 'r4' ? 'data' : 'content']: typeof content === 'string' ? content : content.toString('base64'),
  };
}

/** @throws FhirError 400 in dstu2, whose Binary has no securityContext: the restriction would be lost */
function securityContextOf({ release, headers: { securityContext } }: FhirRequest): JsonObject {
  if (securityContext === undefined) return {};
  if (release === 'dstu2') throw badRequest('X-Security-Context is not supported in dstu2', 'not-supported');
  return { securityContext: { reference: securityContext.trim() } };
}
