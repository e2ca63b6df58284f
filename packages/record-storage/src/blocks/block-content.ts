import { promisify } from 'node:util';
import { type ZlibOptions, constants, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
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

/**
 * Blocks up to this length are not compressed but framed as a "stored" deflate block: setting up zlib would cost a
 * single write or read more than all the rest. They do not stay: merges put them into blocks worth compressing.
 */
const STORED_UP_TO = 1024;
const STORED_HEAD = 5;

/** Packs lines (each ended by "\n") into the content of a block. */
export function packContent(lines: Buffer): Buffer {
  return framed(lines, lines.length <= STORED_UP_TO ? stored(lines) : deflateRawSync(lines, deflateOptions(lines)));
}

/** Does what `packContent` does, but compresses on a thread of libuv's pool: the event loop goes on meanwhile. */
export async function packContentOnThread(lines: Buffer): Promise<Buffer> {
  return framed(
    lines,
    lines.length <= STORED_UP_TO ? stored(lines) : await deflateOnThread(lines, deflateOptions(lines)),
  );
}

const deflateOnThread = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw);

function framed(lines: Buffer, segment: Buffer): Buffer {
  const content = Buffer.allocUnsafe(HEAD + segment.length);
  content.writeUInt32BE(crc32(lines), 0);
  content.writeUInt32BE(lines.length, 4);
  segment.copy(content, HEAD);
  return content;
}

function stored(lines: Buffer): Buffer {
  const segment = Buffer.allocUnsafe(STORED_HEAD + lines.length);
  segment[0] = 0;
  segment.writeUInt16LE(lines.length, 1);
  segment.writeUInt16LE(lines.length ^ 0xffff, 3);
  lines.copy(segment, STORED_HEAD);
  return segment;
}

function deflateOptions(lines: Buffer): ZlibOptions {
  const memory = lines.length <= 8192 ? { memLevel: 6, windowBits: 13 } : { memLevel: 8, windowBits: 15 };
  return { ...memory, level: 9, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: lines.length };
}

export function readContent(content: Buffer): BlockContent {
  return { checksum: content.readUInt32BE(0), plainLength: content.readUInt32BE(4), segment: content.subarray(HEAD) };
}

/** The lines of a block, each ended by "\n". */
export function unpackLines({ segment, plainLength }: BlockContent): Buffer {
  if (plainLength <= STORED_UP_TO) return segment.subarray(STORED_HEAD);
  return inflateRawSync(segment, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: plainLength });
}

/** One line, without its line break; undefined when there are fewer. A view of the same memory. */
export function lineAt(lines: Buffer, slot: number): Buffer | undefined {
  let start = 0;
  for (let passed = 0; passed < slot; passed++) {
    start = lines.indexOf(NEWLINE, start) + 1;
    if (start === 0) return undefined;
  }
  const end = lines.indexOf(NEWLINE, start);
  return end < 0 ? undefined : lines.subarray(start, end);
}

/** The single lines, without their line breaks; views of the same memory. */
export function splitLines(lines: Buffer): Buffer[] {
  const single: Buffer[] = [];
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start);
    single.push(lines.subarray(start, end));
    start = end + 1;
  }
  return single;
}
