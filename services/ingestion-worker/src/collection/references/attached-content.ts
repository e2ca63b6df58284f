import type { AttachmentDescription } from '@tributary/contracts';
import { ResponseTooLarge, UnreadableResponse } from '../../health-system/request-failures';
import { type AttachmentSource, assertContent, isJson, sourceIdOf, wrongMediaType } from './binary';
import { BinaryJson } from './binary-json';
import { mediaTypeOf, sampleBytes } from './media-type';

/** An attachment that is too large to be held. Its content fails with what is wrong with the response. */
export interface AttachedContent extends AttachmentDescription {
  content: AsyncIterable<Buffer>;
  warning?: string;
}

/** How much of JSON is held until its type, or its content, has come. */
const maxHeadBytes = 1_000_000;

/**
 * Reads the response of a health system while it arrives, as far as possible as `attachedBinary` does: a media type
 * that follows the content is not known, and JSON has to be exact. What is wrong with the end of the response is known
 * after the content was taken, and ends the content with an error.
 * @param maxBytes of the content
 * @throws UnreadableResponse, also from the content
 * @throws ResponseTooLarge from the content
 */
export async function attachedContent(
  source: AttachmentSource,
  contentType: unknown,
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<AttachedContent> {
  const json = isJson(contentType) ? new BinaryJson() : undefined;
  const pieces = (json ? contentOfJson(json, source, body) : body)[Symbol.asyncIterator]();
  const head: Buffer[] = [];
  for (let bytes = 0; bytes < sampleBytes;) {
    const next = await pieces.next();
    if (next.done) break;
    head.push(next.value);
    bytes += next.value.length;
  }
  const declared = json?.hasContent ? json.contentType : contentType;
  const { mediaType, isCorrected } = mediaTypeOf(
    typeof declared === 'string' ? declared : undefined,
    Buffer.concat(head),
  );
  return {
    sourceId: sourceIdOf(source),
    mediaType,
    content: limited(head, pieces, maxBytes),
    ...(isCorrected ? { warning: wrongMediaType } : {}),
  };
}

async function* limited(
  head: Buffer[],
  rest: AsyncIterator<Buffer, unknown>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  for (let bytes = 0; ;) {
    const piece = head.shift() ?? (await nextOf(rest));
    if (!piece) return;
    bytes += piece.length;
    if (bytes > maxBytes) throw new ResponseTooLarge(maxBytes);
    yield piece;
  }
}

async function nextOf(pieces: AsyncIterator<Buffer, unknown>): Promise<Buffer | undefined> {
  const next = await pieces.next();
  return next.done ? undefined : next.value;
}

/** The content of a Binary; the JSON itself when it is something else that may be the content. */
async function* contentOfJson(
  json: BinaryJson,
  source: AttachmentSource,
  body: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const head: Buffer[] = [];
  let headBytes = 0;
  for await (const piece of body) {
    const decoded = json.push(piece);
    if (decoded.length > 0) yield decoded;
    if (json.hasContent) continue;
    head.push(piece);
    headBytes += piece.length;
    json.isOpaque ||= (json.resourceType ?? 'Binary') !== 'Binary' || headBytes > maxHeadBytes;
    assertContent(source, json.resourceType);
    if (json.isOpaque) yield* head.splice(0);
  }
  json.end();
  assertContent(source, json.resourceType);
  if (json.isOpaque ? json.resourceType === 'Binary' : json.resourceType !== 'Binary' || !json.hasContent)
    throw new UnreadableResponse('a Binary was expected');
}
