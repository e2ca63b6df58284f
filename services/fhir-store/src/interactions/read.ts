import { type StoredVersion, typeCodeOf, isResourceId } from '@tributary/record-storage';
import { etagOf } from '@tributary/service-kit';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest, ReadRequest } from '../fhir-http/fhir-request';
import { FhirError, notFound } from '../fhir-http/fhir-error';
import { renderRead } from './render-read';
import { isNotModified } from '../fhir-http/etag';

/**
 * `GET /{release}/{Type}/{id}` (https://hl7.org/fhir/R4/http.html#read).
 * @throws FhirError 404 without the resource, 410 when it is deleted, 406 when it cannot be converted
 */
export async function read(request: FhirRequest, type: string, id: string): Promise<FhirResponse> {
  if (!isResourceId(id)) throw notFound(type);
  return renderRead(
    request,
    type,
    versionResponse(request, type, await request.record.read(typeCodeOf(request.release, type), id)),
  );
}

/**
 * `GET /{release}/{Type}/{id}/_history/{version}` (https://hl7.org/fhir/R4/http.html#vread).
 * @throws FhirError 404 without the version, 410 when the version is a deletion, 406 when it cannot be converted
 */
export async function vread(request: FhirRequest, type: string, id: string, version: string): Promise<FhirResponse> {
  if (!isResourceId(id) || !/^[1-9]\d{0,8}$/.test(version)) throw notFound(`version of ${type}`);
  return renderRead(
    request,
    type,
    versionResponse(
      request,
      type,
      await request.record.readVersion(typeCodeOf(request.release, type), id, Number(version)),
    ),
  );
}

/**
 * The response with a version: 200, or 304 when the client has it (https://hl7.org/fhir/R4/http.html#cread).
 * @throws FhirError 404 without a version, 410 for a deletion
 */
export function versionResponse(
  request: Pick<ReadRequest, 'headers'>,
  type: string,
  found: StoredVersion | undefined,
): FhirResponse {
  if (!found) throw notFound(type);
  const { version, lastUpdated, json } = found;
  if (json === undefined) throw new FhirError(410, `this ${type} is deleted`, 'deleted', { ETag: etagOf(version) });
  const metadata = { version, lastUpdated };
  return isNotModified(request.headers, found)
    ? { status: 304, ...metadata }
    : { status: 200, ...metadata, body: json };
}

/** The current version of a resource as JSON. @throws FhirError 404 without the resource, 410 when it is deleted */
export async function storedJson({ record, release }: ReadRequest, type: string, id: string): Promise<Buffer> {
  const stored = isResourceId(id) ? await record.read(typeCodeOf(release, type), id) : undefined;
  return versionResponse({ headers: {} }, type, stored).body as Buffer;
}
