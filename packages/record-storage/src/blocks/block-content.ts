import { promisify } from 'node:util';
import { type ZlibOptions, constants, crc32, deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';

const HEADER_BYTES = 8;
const NEWLINE = 0x0a;

/**
 * The plaintext of a block: `CRC-32 (4 bytes) | length of the entries (4 bytes) | deflate segment`. The segment
 * contains the entries, each ended by "\n", compressed on its own and ended by a sync flush (RFC 1951). The
 * concatenated segments of any blocks are one valid deflate stream: an export sends them unchanged inside ONE gzip
 * member (RFC 1952), whose checksum follows from theirs. Concatenated gzip members are legal too, but browsers and some
 * clients stop after the first.
 */
export interface BlockContent {
  readonly checksum: number;
  readonly plainLength: number;
  readonly segment: Buffer;
}

/**
 * Up to this length, in bytes, entries are framed as a "stored" deflate block without compression: setting up zlib
 * would cost a single write or read more than all the rest. Compaction moves them to larger blocks.
 */
const MAX_STORED_BYTES = 1024;
const STORED_HEADER_BYTES = 5;

/** Packs entries (each ended by "\n") into the content of a block. */
export function packContent(entries: Buffer): Buffer {
  return framed(
    entries,
    entries.length <= MAX_STORED_BYTES ? stored(entries) : deflateRawSync(entries, deflateOptions(entries)),
  );
}

/** Like `packContent`, but compresses on a thread of the libuv pool. */
export async function packContentOnThread(entries: Buffer): Promise<Buffer> {
  return framed(
    entries,
    entries.length <= MAX_STORED_BYTES ? stored(entries) : await deflateOnThread(entries, deflateOptions(entries)),
  );
}

/**
 * Packs a piece of content in base64, on a thread of the libuv pool. Compressed files, as most large ones are, repeat
 * nothing: Huffman coding alone takes as much off as a search for repetitions, in a third of the time.
 */
export async function packBase64OnThread(piece: Buffer): Promise<Buffer> {
  if (piece.length <= MAX_STORED_BYTES) return packContent(piece);
  return framed(piece, await deflateOnThread(piece, { ...deflateOptions(piece), strategy: constants.Z_HUFFMAN_ONLY }));
}

const deflateOnThread = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw);

function framed(entries: Buffer, segment: Buffer): Buffer {
  const content = Buffer.allocUnsafe(HEADER_BYTES + segment.length);
  content.writeUInt32BE(crc32(entries), 0);
  content.writeUInt32BE(entries.length, 4);
  segment.copy(content, HEADER_BYTES);
  return content;
}

function stored(entries: Buffer): Buffer {
  const segment = Buffer.allocUnsafe(STORED_HEADER_BYTES + entries.length);
  segment[0] = 0;
  segment.writeUInt16LE(entries.length, 1);
  segment.writeUInt16LE(entries.length ^ 0xffff, 3);
  entries.copy(segment, STORED_HEADER_BYTES);
  return segment;
}

function deflateOptions(entries: Buffer): ZlibOptions {
  const memory = entries.length <= 8192 ? { memLevel: 6, windowBits: 13 } : { memLevel: 8, windowBits: 15 };
  return { ...memory, level: 9, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: entries.length };
}

/**
 * The parts of a stored content: its checksum, its length when unpacked, and its deflate segment, which shares memory
 * with it. The segment is not checked; `unpackEntries` throws an error of zlib for one that is damaged.
 */
export function readContent(content: Buffer): BlockContent {
  return {
    checksum: content.readUInt32BE(0),
    plainLength: content.readUInt32BE(4),
    segment: content.subarray(HEADER_BYTES),
  };
}

/** The entries of a block, each ended by "\n". */
export function unpackEntries({ segment, plainLength }: BlockContent): Buffer {
  if (plainLength <= MAX_STORED_BYTES) return segment.subarray(STORED_HEADER_BYTES);
  return inflateRawSync(segment, { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: plainLength });
}

/** The entry in a slot, without its "\n"; undefined if the block has fewer entries. It shares memory with `entries`. */
export function entryAt(entries: Buffer, slot: number): Buffer | undefined {
  let start = 0;
  for (let skipped = 0; skipped < slot; skipped++) {
    start = entries.indexOf(NEWLINE, start) + 1;
    if (start === 0) return undefined;
  }
  const end = entries.indexOf(NEWLINE, start);
  return end < 0 ? undefined : entries.subarray(start, end);
}

/** The entries, without their "\n". They share memory with `entries`. */
export function splitEntries(entries: Buffer): Buffer[] {
  const single: Buffer[] = [];
  for (let start = 0; start < entries.length;) {
    const end = entries.indexOf(NEWLINE, start);
    single.push(entries.subarray(start, end));
    start = end + 1;
  }
  return single;
}
