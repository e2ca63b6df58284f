import { pipeline } from 'node:stream/promises';
import { counter } from '@tributary/service-kit';
import type { Response } from 'express';

/** Counted as the pieces are sent, so that long downloads have a rate. */
export const sentBytes = counter(
  'tributary_export_sent_bytes_total',
  'The bytes of export files and attachments that were sent.',
  [],
);

/** The result of a download: incomplete when the client disconnected. */
export interface Sent {
  complete: boolean;
  bytes: number;
}

/**
 * Sends a file with backpressure. An error of the source closes the connection, so that a client never takes a part for
 * the whole file. When the client disconnects, the source is ended.
 * @param begin is called when the first pieces have been read, before any byte is sent
 * @param stallTimeoutMs milliseconds without progress after which the connection is closed
 * @throws the errors of the source
 */
export async function sendFile(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  response: Response,
  begin: () => void,
  stallTimeoutMs: number,
): Promise<Sent> {
  const source = streamOf(pieces);
  // Two pieces, because the first can be the gzip header, which exists before the source is read.
  const first = await source.next();
  const primed = first.done ? [] : [await source.next()];
  begin();
  response.setTimeout(stallTimeoutMs, () => response.destroy());
  let bytes = 0;
  let fault: unknown;
  async function* rest(): AsyncGenerator<Buffer> {
    try {
      for (let piece = first; !piece.done; piece = primed.shift() ?? (await source.next())) {
        bytes += piece.value.length;
        sentBytes.inc(piece.value.length);
        yield piece.value;
      }
    } catch (error) {
      fault = error;
      throw error;
    } finally {
      await source.return(undefined);
    }
  }
  try {
    await pipeline(rest, response);
    return { complete: true, bytes };
  } catch (error) {
    if (fault !== undefined || !response.destroyed) throw error;
    return { complete: false, bytes };
  }
}

async function* streamOf(pieces: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces;
}
