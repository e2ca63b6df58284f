import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { constants, createInflateRaw } from 'node:zlib';
import {
  type BlockContent,
  packContent,
  packBase64OnThread,
  readContent,
  splitEntries,
  unpackEntries,
} from '../blocks/block-content';
import { joinEntries } from '../blocks/block-packing';
import { ContentReader } from '../content-objects/content-reader';
import { typeOfCode } from '../type-codes';
import type { ExportFile } from './export-file';
import type { ExportedRecords } from './exported-records';
import { gzipMember } from './gzip-member';
import { blocksOfFile } from './listed-block';
import { type ReadBlock, readBlocks } from './read-blocks';

export interface StreamOptions {
  /** identity: NDJSON. gzip: the same as one gzip member (RFC 1952), for a client that accepts it. */
  readonly encoding: 'identity' | 'gzip';
  /** Replaces an NDJSON line of a user, or omits it by returning undefined. Lines have no line break. */
  readonly filter?: (line: Buffer, userId: number) => Buffer | undefined;
  /** Is awaited before the first line of a user is filtered. */
  readonly prepare?: ((userId: number) => Promise<void>) | undefined;
}

/** The approximate number of bytes of segments in one piece. */
const PIECE_BYTES = 32_768;
/** The number of bytes of NDJSON in one piece. */
const PLAIN_PIECE_BYTES = 262_144;

/**
 * The bytes of a file, the same each time. The segments of its blocks make one deflate stream, as they are stored:
 * framed it is a gzip member; unpacked it is NDJSON, on a thread beside the one that decrypts, and without setting up
 * zlib for each block.
 * @throws SnapshotGoneError a day after the snapshot, UnsealingError
 */
export function streamFile(
  records: ExportedRecords,
  file: ExportFile,
  { encoding, filter, prepare }: StreamOptions,
): AsyncGenerator<Buffer> {
  const contents = fileContents(records, file, filter, prepare);
  return encoding === 'gzip' ? gzipMember(contents) : unpacked(contents);
}

async function* unpacked(contents: AsyncIterable<BlockContent[]>): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: PLAIN_PIECE_BYTES });
  const feeding = pipeline(Readable.from(segmentsOf(contents), { objectMode: true, highWaterMark: 1 }), inflate);
  // Its failure is also the one of the stream read below.
  feeding.catch(() => undefined);
  for await (const piece of inflate) yield piece as Buffer;
  await feeding;
}

async function* segmentsOf(contents: AsyncIterable<BlockContent[]>): AsyncGenerator<Buffer> {
  for await (const some of contents) yield Buffer.concat(some.map(({ segment }) => segment));
}

/** The contents of the blocks of a file, some at a time. */
async function* fileContents(
  records: ExportedRecords,
  file: ExportFile,
  filter: StreamOptions['filter'],
  prepare: StreamOptions['prepare'],
): AsyncGenerator<BlockContent[]> {
  for await (const blocks of readBlocks(records, await blocksOfFile(records.pool, file), file)) {
    let contents: BlockContent[] = [];
    let bytes = 0;
    for (const each of blocks) {
      await prepare?.(each.block.userId);
      const stored = contentToSend(each, filter);
      if (!stored) continue;
      const isBinary = typeOfCode(each.block.typeCode) === 'Binary';
      for await (const content of isBinary ? wholeContents(records, each, stored) : [stored]) {
        contents.push(content);
        bytes += content.segment.length;
        if (bytes < PIECE_BYTES) continue;
        yield contents;
        contents = [];
        bytes = 0;
        await yieldToEventLoop();
      }
    }
    if (contents.length > 0) yield contents;
  }
}

/**
 * The stored content of a block if all its entries are sent unchanged; otherwise the entries to send, packed again.
 * Undefined if there are none.
 */
function contentToSend(
  { block, content, visible }: ReadBlock,
  filter: StreamOptions['filter'],
): BlockContent | undefined {
  if (!visible && !filter) return content;
  const lines = visible ?? splitEntries(unpackEntries(content));
  const chosen = filter ? lines.map((line) => filter(line, block.userId)).filter((line) => line !== undefined) : lines;
  return chosen.length > 0 ? readContent(packContent(joinEntries(chosen))) : undefined;
}

/** The content of a block, with what is in the object storage in place of the references to it. */
async function* wholeContents(
  { objects }: ExportedRecords,
  { keys }: ReadBlock,
  content: BlockContent,
): AsyncGenerator<BlockContent> {
  const whole = new ContentReader(keys, objects).wholeJson(unpackEntries(content));
  if (!whole) yield content;
  else for await (const piece of whole.pieces()) yield readContent(await packBase64OnThread(piece));
}
