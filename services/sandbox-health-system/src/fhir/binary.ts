import type { Release } from '../releases';
import type { StoredResource } from '../records/stored-resource';
import type { Reply } from '../scenarios/scenario';

/**
 * Whether a client that reads a Binary accepts the resource; other clients get the content
 * (https://hl7.org/fhir/R4/binary.html#rest).
 */
export function isFhirWanted(accept: string, parameters: URLSearchParams): boolean {
  return parameters.has('_format') || /application\/(fhir\+json|json\+fhir|json)/.test(accept);
}

/** The content of a Binary, with its own media type. */
export function binaryReply(resource: StoredResource, release: Release): Reply {
  const { contentType, content, data } = JSON.parse(resource.text) as {
    contentType?: string;
    content?: string;
    data?: string;
  };
  const body = Buffer.from((release === 'r4' ? data : content) ?? '', 'base64');
  return {
    status: 200,
    headers: { 'Content-Type': contentType ?? 'application/octet-stream', 'X-Content-Type-Options': 'nosniff' },
    body,
  };
}
