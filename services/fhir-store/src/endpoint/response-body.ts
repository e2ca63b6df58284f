import type { IncomingMessage } from 'node:http';
import type { UserRecord } from '@tributary/record-storage';
import { type NativeHead, nativeHead } from '@tributary/service-kit';
import type { FhirResponse } from '../fhir-http/fhir-response';

/** A body that is sent while it is read from the object storage, or decoded. It has to be closed. */
export interface StreamedBody {
  /** The number of bytes. */
  readonly length: number;
  readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
  /** The head of a response with native content. */
  readonly native?: NativeHead;
  /** Ends the reading, whether or not it has begun. */
  close(): Promise<unknown>;
}

/**
 * The body of a response that is not sent at once: native content, and JSON with content of the object storage. The
 * first pieces are read, so that an outage of the object storage gets an error response.
 * @returns undefined for other bodies
 * @throws RecordDestroyedError, ObjectMissingError, ObjectStorageError, UnsealingError
 */
export async function streamedBody(
  request: IncomingMessage,
  record: UserRecord,
  { native, body }: FhirResponse,
): Promise<StreamedBody | undefined> {
  const isHead = request.method === 'HEAD';
  if (native) {
    const object = native.reference === undefined ? undefined : await record.contentOf(native.reference);
    const { id, contentType, securityContext } = native;
    const { length } = object ?? native;
    const head = nativeHead(request, { id, contentType, securityContext, length });
    const { start, end } = head;
    const content = object && !isHead ? await begun(object.bytes(start, end)) : held(native.bytes(start, end));
    return { length: end - start, ...content, native: head };
  }
  const whole = body === undefined ? undefined : await record.wholeJson(body);
  return whole && { length: whole.length, ...(isHead ? held([]) : await begun(whole.pieces())) };
}

type Content = Pick<StreamedBody, 'pieces' | 'close'>;

function held(pieces: Iterable<Buffer>): Content {
  return { pieces, close: () => Promise.resolve() };
}

/** The pieces, of which the first two are read: what precedes the content, and its beginning. */
async function begun(pieces: AsyncGenerator<Buffer>): Promise<Content> {
  const first = [await pieces.next(), await pieces.next()];
  async function* all(): AsyncGenerator<Buffer> {
    for (const { done, value } of first.splice(0)) if (done !== true) yield value;
    yield* pieces;
  }
  return { pieces: all(), close: () => pieces.return(undefined) };
}
