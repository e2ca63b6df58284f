import type { FhirVersion } from '@tributary/contracts';
import { type JsonValue, isJsonObject, parseJson } from '@tributary/fhir-json';
import { UnreadableAnswer } from '../health-system/health-system-unreachable';
import { mediaTypeOf } from './media-type';

/** The content of an attachment, as a Binary of the release. */
export interface AttachedBinary {
  /** One line of JSON. */
  line: string;
  /** How large the content is. */
  bytes: number;
  warning?: string;
}

/**
 * Makes a Binary of what a health system answered: the content itself, or a Binary around it.
 * @param sourceId its id at the source, or its address there
 * @throws UnreadableAnswer when the answer is broken JSON, or a resource and no Binary
 */
export function attachedBinary(
  release: FhirVersion,
  sourceId: string,
  contentType: unknown,
  body: Buffer,
): AttachedBinary {
  const told = typeof contentType === 'string' ? contentType : undefined;
  const wrapped =
    told !== undefined && /^\s*(application|text)\/([\w.+-]*\+)?json/i.test(told) ? readResource(body) : undefined;
  if (wrapped && wrapped.resourceType !== 'Binary') throw new UnreadableAnswer('a Binary was expected');
  const content = wrapped ? wrapped.content : body;
  const { mediaType, isCorrected } = mediaTypeOf(wrapped ? wrapped.contentType : told, content);
  // Releases before r4 call the content `content`, and require it.
  const line = JSON.stringify({
    resourceType: 'Binary',
    id: sourceId,
    contentType: mediaType,
    [release === 'r4' ? 'data' : 'content']: content.toString('base64'),
  });
  return {
    line,
    bytes: content.length,
    ...(isCorrected ? { warning: 'an attachment is not of the media type that the health system tells' } : {}),
  };
}

interface WrappedContent {
  resourceType: string;
  contentType: string | undefined;
  content: Buffer;
}

/** The resource that a body of JSON holds; undefined when it is some other JSON, which is then the content itself. */
function readResource(body: Buffer): WrappedContent | undefined {
  let value: JsonValue;
  try {
    value = parseJson(body.toString('utf8'));
  } catch {
    throw new UnreadableAnswer('the body is not JSON');
  }
  if (!isJsonObject(value) || typeof value['resourceType'] !== 'string') return undefined;
  const { resourceType, contentType } = value;
  const data = value['data'] ?? value['content'];
  return {
    resourceType,
    contentType: typeof contentType === 'string' ? contentType : undefined,
    content: Buffer.from(typeof data === 'string' ? data : '', 'base64'),
  };
}
