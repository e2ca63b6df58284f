import type { FhirVersion } from '@tributary/contracts';
import { isJsonObject } from '@tributary/fhir-json';
import { UnreadableResponse } from '../../health-system/request-failures';
import { readJson } from '../../health-system/searchset';
import { mediaTypeOf } from './media-type';

/** An attachment as a Binary resource (https://hl7.org/fhir/R4/binary.html) of the release. */
export interface AttachedBinary {
  /** The JSON of the resource. */
  json: string;
  /** The size of the content. */
  bytes: number;
  warning?: string;
}

/** The id of a Binary at the source, or the URL of an attachment there. */
export type AttachmentSource = { binaryId: string } | { url: string };

export const wrongMediaType = 'an attachment does not have the media type that the health system declares';

/**
 * Makes a Binary of the response of a health system: the raw content, or a Binary resource. At an address that is not
 * that of a Binary another resource is the content, for example a document (https://hl7.org/fhir/R4/documents.html).
 * @param contentType the header of the response
 * @throws UnreadableResponse when the body is invalid JSON, or a resource that cannot be the content
 */
export function attachedBinary(
  release: FhirVersion,
  source: AttachmentSource,
  contentType: unknown,
  body: Buffer,
): AttachedBinary {
  const declared = typeof contentType === 'string' ? contentType : undefined;
  const resource = isJson(contentType) ? readResource(body) : undefined;
  assertContent(source, resource?.resourceType);
  const wrapped = resource?.resourceType === 'Binary' ? resource : undefined;
  const content = wrapped ? wrapped.content : body;
  const { mediaType, isCorrected } = mediaTypeOf(wrapped ? wrapped.contentType : declared, content);
  // Before R4 the element is called `content`, and is required.
  const json = JSON.stringify({
    resourceType: 'Binary',
    id: sourceIdOf(source),
    contentType: mediaType,
    [release === 'r4' ? 'data' : 'content']: content.toString('base64'),
  });
  return {
    json,
    bytes: content.length,
    ...(isCorrected ? { warning: wrongMediaType } : {}),
  };
}

/** @param contentType the header of a response */
export function isJson(contentType: unknown): boolean {
  return typeof contentType === 'string' && /^\s*(application|text)\/([\w.+-]*\+)?json/i.test(contentType);
}

export function sourceIdOf(source: AttachmentSource): string {
  return 'binaryId' in source ? source.binaryId : source.url;
}

/**
 * @param resourceType of the JSON, when it is a resource
 * @throws UnreadableResponse when the resource is neither the Binary nor the content
 */
export function assertContent(source: AttachmentSource, resourceType: string | undefined): void {
  if (resourceType === undefined || resourceType === 'Binary') return;
  if ('binaryId' in source || resourceType === 'OperationOutcome')
    throw new UnreadableResponse('a Binary was expected');
}

interface ReadResource {
  resourceType: string;
  contentType: string | undefined;
  content: Buffer;
}

/** The resource in a JSON body; undefined when the JSON is not a resource: then it is the content itself. */
function readResource(body: Buffer): ReadResource | undefined {
  const value = readJson(body);
  if (!isJsonObject(value) || typeof value['resourceType'] !== 'string') return undefined;
  const { resourceType, contentType } = value;
  const data = value['data'] ?? value['content'];
  return {
    resourceType,
    contentType: typeof contentType === 'string' ? contentType : undefined,
    content: Buffer.from(typeof data === 'string' ? data : '', 'base64'),
  };
}
