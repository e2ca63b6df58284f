import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Readable, Transform, type TransformCallback, pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ExpansionLimit } from './expansion-limit';
import { OutboundRequestFailed, cancelled, timedOut, toFailure } from './request-failed';

export interface BodyLimits {
  /** The end of the request, by `performance.now()`. */
  deadline: number;
  /** How long nothing may arrive, in milliseconds. */
  idleMs: number;
  /** The size of the body, as it is sent and as it is decoded. */
  maxBytes: number;
  maxExpansion?: number | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The decoded body of a response (`Content-Encoding`: gzip, deflate, br). It fails with `OutboundRequestFailed` when a
 * limit is exceeded or the body is incomplete; destroying it ends the connection. The wait for a slow reader does not
 * count as idle. A body of an unknown encoding fails when it is read, because some callers need the status alone.
 */
export function decodedBody(response: IncomingMessage, method: string, limits: BodyLimits): Readable {
  const decoder = decoderOf(response, method);
  const expansion = new ExpansionLimit(limits.maxExpansion);
  const received = new Meter((bytes) => {
    idle.refresh();
    expansion.addEncoded(bytes);
    assertSize(expansion.encoded, limits.maxBytes);
  });
  const body = decoder
    ? new Meter((bytes) => {
        expansion.addDecoded(bytes);
        assertSize(expansion.decoded, limits.maxBytes);
      })
    : received;
  const end = setTimeout(() => body.destroy(timedOut()), Math.max(0, limits.deadline - performance.now()));
  const idle = setTimeout(() => {
    if (body.readableLength > 0) idle.refresh();
    else body.destroy(timedOut());
  }, limits.idleMs);
  const cancel = (): unknown => body.destroy(cancelled());
  limits.signal?.addEventListener('abort', cancel, { once: true });
  body.once('close', () => {
    clearTimeout(end);
    clearTimeout(idle);
    limits.signal?.removeEventListener('abort', cancel);
  });
  // The error of any of them is the error of the body, which the reader gets.
  const streams = decoder ? [response, received, decoder, body] : [response, body];
  pipeline(streams, () => undefined);
  if (limits.signal?.aborted) cancel();
  return body;
}

/** Passes bytes on and counts them; ends with `OutboundRequestFailed` whatever the error was. */
class Meter extends Transform {
  constructor(private readonly count: (bytes: number) => void) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.count(chunk.length);
      done(null, chunk);
    } catch (error) {
      done(toFailure(error));
    }
  }

  override destroy(error?: Error): this {
    return super.destroy(error && toFailure(error));
  }
}

function assertSize(bytes: number, maxBytes: number): void {
  if (bytes > maxBytes) throw new OutboundRequestFailed(`the response has more than ${maxBytes} bytes`, 'too_large');
}

function decoderOf({ headers, statusCode = 0 }: IncomingMessage, method: string): Transform | undefined {
  const isEmpty = method === 'HEAD' || statusCode === 204 || statusCode === 304 || headers['content-length'] === '0';
  if (isEmpty) return undefined;
  switch (encodingOf(headers)) {
    case '':
    case 'identity':
    // No encodings, but some servers send them with a body that has none.
    case 'none':
    case 'utf-8':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return unknownEncoding();
  }
}

function unknownEncoding(): Transform {
  const failure = new OutboundRequestFailed('the response has an unknown content encoding');
  return new Transform({
    transform: (_chunk, _encoding, done) => done(failure),
    flush: (done) => done(failure),
  });
}

function encodingOf(headers: IncomingHttpHeaders): string {
  return (headers['content-encoding'] ?? '').trim().toLowerCase();
}
