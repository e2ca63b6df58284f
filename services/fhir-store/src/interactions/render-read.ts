import { fhirJsonMediaType } from '@tributary/contracts';
import { type BinaryContent, type Resource, binaryContent, parseJson, stringifyJson } from '@tributary/fhir-json';
import { parseSearch } from '@tributary/fhir-search';
import { mayHaveReferences } from '@tributary/record-storage';
import { isNativeRequested, nativeTypeOf } from '@tributary/service-kit';
import { FhirError } from '../fhir-http/fhir-error';
import type { FhirResponse, NativeBody } from '../fhir-http/fhir-response';
import { type FhirRequest, type NativePreference, isConvertedToR4 } from '../fhir-http/fhir-request';
import { convertRead } from './conversion/resource-in-r4';
import { type Subset, subsetOf } from './search/render/subset';

/**
 * Renders the response of a read: converts it to the requested release, and keeps only the elements that `_summary` or
 * `_elements` selects (https://hl7.org/fhir/R4/search.html#summary).
 * @throws FhirError 406 when the resource cannot be converted
 */
export function renderRead(request: FhirRequest, type: string, response: FhirResponse): FhirResponse {
  if (type === 'Binary' && request.native && Buffer.isBuffer(response.body) && !requestsSubset(request))
    return renderBinary(request, request.native, response.body, response);
  return renderResource(request, type, response);
}

/**
 * A Binary in its own media type, or as FHIR JSON when the client requests that.
 * @throws FhirError 406 when the client accepts neither
 */
function renderBinary(
  request: FhirRequest,
  { accept, refusal }: NativePreference,
  json: Buffer,
  response: FhirResponse,
): FhirResponse {
  const content = binaryContent(json);
  if (isNativeRequested(accept, content.contentType)) {
    const { body: _json, ...metadata } = response;
    return { ...metadata, native: mayHaveReferences(json) ? referring(content) : content };
  }
  if (refusal)
    throw new FhirError(
      refusal.status,
      `${refusal.message}; this Binary is available as ${nativeTypeOf(content)} and ${fhirJsonMediaType[request.release]}`,
      'not-supported',
    );
  return renderResource(request, 'Binary', response);
}

function referring({ id, contentType, securityContext, length, base64, bytes }: BinaryContent): NativeBody {
  return { id, contentType, securityContext, length, bytes, reference: base64 };
}

function renderResource(request: FhirRequest, type: string, response: FhirResponse): FhirResponse {
  const isConverted = isConvertedToR4(request);
  if (response.body === undefined || !(isConverted || requestsSubset(request))) return response;
  request.parsing?.take(response.body.length);
  const stored = parseJson(response.body.toString()) as Resource;
  const resource = isConverted ? convertRead(request, stored) : stored;
  const subset = requestsSubset(request) ? subsetFor(request, type) : undefined;
  if (!subset && !isConverted) return response;
  return { ...response, body: subset ? subset(resource) : stringifyJson(resource) };
}

function requestsSubset({ query }: FhirRequest): boolean {
  return query.has('_summary') || query.has('_elements');
}

function subsetFor({ release, responseRelease, query }: FhirRequest, type: string): Subset | undefined {
  const pairs = [...query].filter(([name]) => name === '_summary' || name === '_elements');
  return subsetOf(responseRelease, parseSearch(release, type, pairs).result);
}
