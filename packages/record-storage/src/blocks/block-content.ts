import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { crc32 } from './crc32';

const HEAD = 8;
const NEWLINE = 0x0a;

/**
 * What a block seals: `CRC-32 (4) | length of the lines (4) | deflate segment`. The segment is the lines, each ended by
 * "\n", compressed on its own and ended by a sync flush. So segments of any blocks, one after the other, make one valid
 * deflate stream: an export sends them as they are inside ONE gzip member, and its checksum follows from theirs.
 * (Whole gzip members one after the other are legal too, but browsers and some clients stop after the first.)
 */
export interface BlockContent {
  readonly checksum: number;
  readonly plainLength: number;
  readonly segment: Buffer;
}

/** Compresses lines (each ended by "\n") into the content of a block. */
export function packContent(lines: Buffer): Buffer {
  const segment = deflateRawSync(lines, { ...effort(lines.length), finishFlush: constants.Z_SYNC_FLUSH, chunkSize: Math.max(64, lines.length) });
  const content = Buffer.allocUnsafe(HEAD + segment.length);
  content.writeUInt32BE(crc32(lines), 0);
  content.writeUInt32BE(lines.length, 4);
  segment.copy(content, HEAD);
  return content;
}

/** A small window saves most of the cost of setting up zlib for a single line, and loses nothing. */
function effort(length: number): { level: number; memLevel: number; windowBits: number } {
  if (length <= 2048) return { level: 6, memLevel: 4, windowBits: 11 };
  if (length <= 8192) return { level: 6, memLevel: 6, windowBits: 13 };
  return { level: 6, memLevel: 8, windowBits: 15 };
}

export function readContent(content: Buffer): BlockContent {
  return { checksum: content.readUInt32BE(0), plainLength: content.readUInt32BE(4), segment: content.subarray(HEAD) };
}

/** The lines of a block, each ended by "\n". */
export function unpackLines(content: BlockContent): Buffer {
  return inflateRawSync(content.segment, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: Math.max(64, content.plainLength) });
}

/** The single lines, without their line breaks; views of the same memory. */
export function splitLines(lines: Buffer): Buffer[] {
  const single: Buffer[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(NEWLINE, start);
    single.push(lines.subarray(start, end));
    start = end + 1;
  }
  return single;
}
