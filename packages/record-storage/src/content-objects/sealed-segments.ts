import { SEAL_OVERHEAD } from '@tributary/key-vault';
import type { RecordKeys } from '../keys/record-keys';

/**
 * Bytes of content in a segment, which is sealed on its own, so that a part of the content can be read. A multiple of
 * three: each segment but the last is whole base64.
 */
export const SEGMENT_BYTES = 196_608;
const SEALED_BYTES = SEGMENT_BYTES + SEAL_OVERHEAD;

/** The sealed segments of content, whose pieces may have any size. */
export async function* sealSegments(
  keys: RecordKeys,
  objectId: string,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let index = 0;
  const segment = Buffer.allocUnsafe(SEGMENT_BYTES);
  let filled = 0;
  for await (const piece of content) {
    for (let taken = 0; taken < piece.length;) {
      const copied = piece.copy(segment, filled, taken);
      taken += copied;
      filled += copied;
      if (filled < SEGMENT_BYTES) continue;
      yield keys.sealSegment(objectId, index++, segment);
      filled = 0;
    }
  }
  if (filled > 0 || index === 0) yield keys.sealSegment(objectId, index, segment.subarray(0, filled));
}

/** The segments that contain a part of content. */
export interface SegmentRange {
  /** The index of the first one. */
  readonly first: number;
  /** Where its first byte is in the object, and where the last segment ends, exclusive. */
  readonly start: number;
  readonly end: number;
}

/** @param start of the content, and its `end`, exclusive; within `length` */
export function segmentsOf(length: number, start: number, end: number): SegmentRange {
  const first = Math.floor(start / SEGMENT_BYTES);
  const after = Math.ceil(end / SEGMENT_BYTES);
  return {
    first,
    start: first * SEALED_BYTES,
    end: Math.min(after * SEGMENT_BYTES, length) + after * SEAL_OVERHEAD,
  };
}

/**
 * The content of sealed segments, whose pieces may have any size.
 * @throws UnsealingError if a segment is not that of this object and place, or is cut short
 */
export async function* openSegments(
  keys: RecordKeys,
  objectId: string,
  first: number,
  sealed: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let index = first;
  let pending: Buffer[] = [];
  let bytes = 0;
  for await (const piece of sealed) {
    pending.push(piece);
    bytes += piece.length;
    while (bytes >= SEALED_BYTES) {
      const joined = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending);
      yield keys.openSegment(objectId, index++, joined.subarray(0, SEALED_BYTES));
      pending = [joined.subarray(SEALED_BYTES)];
      bytes -= SEALED_BYTES;
    }
  }
  if (bytes > 0) yield keys.openSegment(objectId, index, Buffer.concat(pending));
}
