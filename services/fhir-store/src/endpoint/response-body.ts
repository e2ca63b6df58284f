import type { IncomingMessage } from 'node:http';
import type { UserRecord } from '@tributary/record-storage';
import { type NativeHead, nativeHead } from '@tributary/service-kit';
import type { FhirResponse } from '../fhir-http/fhir-response';

/** A body that is sent while it is read from the object storage, or decoded. */
export interface StreamedBody {
  /** The number of bytes. */
  readonly length: number;
  readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
  /** The head of a response with native content. */
  readonly native?: NativeHead;
}

/**
 * The body of a response that is not sent at once: native content, and JSON with content of the object storage. The
 * first pieces are read, so that an outage of the object storage gets an error response.
 * @returns undefined for other bodies
 * @throws ObjectMissingError, ObjectStorageError, UnsealingError
 */
export async function streamedBody(
  request: IncomingMessage,
  record: UserRecord,
  { native, body }: FhirResponse,
): Promise<StreamedBody | undefined> {
  const isHead = request.method === 'HEAD';
  if (native) {
    const object = native.base64 === undefined ? undefined : await record.contentOf(native.base64);
    const { id, contentType, securityContext } = native;
    const { length } = object ?? native;
    const head = nativeHead(request, { id, contentType, securityContext, length });
    const { start, end } = head;
    const pieces = object && !isHead ? await begun(object.bytes(start, end)) : native.bytes(start, end);
    return { length: end - start, pieces, native: head };
  }
  const whole = body === undefined ? undefined : await record.wholeJson(Buffer.from(body as Buffer));
  return whole && { length: whole.length, pieces: isHead ? [] : await begun(whole.pieces()) };
}

/** The pieces, of which the first two are read: what precedes the content, and its beginning. */
async function begun(pieces: AsyncGenerator<Buffer>): Promise<AsyncGenerator<Buffer>> {
  const first = [await pieces.next(), await pieces.next()];
  return (async function* () {
    for (const { done, value } of first) if (done !== true) yield value;
    yield* pieces;
  })();
}
