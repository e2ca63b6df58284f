import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'pg';
import { splitLines, unpackLines } from '../blocks/block-content';
import type { RecordKeyStore } from '../keys/record-key-store';
import type { ExportFile } from './export-file';
import { type ListedBlock, blocksOfFile } from './listed-block';
import { liveLines } from './live-lines';
import { GzipOutput, PlainOutput } from './output';
import { type ReadBlock, chunksOf, openChunk, readChunk } from './read-blocks';

export interface StreamOptions {
  /** identity: NDJSON; gzip: the same as one gzip member, for a client that takes it. */
  readonly encoding: 'identity' | 'gzip';
  /** Changes or (undefined) leaves out lines; given and taken without line break. */
  readonly filter?: (line: Buffer) => Buffer | undefined;
}

/** What is handed on at once, about. */
const PIECE_BYTES = 131_072;

/**
 * The bytes of a file. While the downloader takes one chunk, the next is being read, and no more: a slow downloader
 * holds two chunks of memory and no connection.
 */
export async function* streamFile(pool: Pool, keyStore: RecordKeyStore, file: ExportFile, { encoding, filter }: StreamOptions): AsyncGenerator<Buffer> {
  const output = encoding === 'gzip' ? new GzipOutput() : new PlainOutput();
  const start = output.start();
  let pieces = [start];
  let bytes = start.length;
  for await (const blocks of readAhead(pool, keyStore, chunksOf(await blocksOfFile(pool, file)))) {
    const partial = await liveLines(pool, blocks.filter(({ block }) => !block.whole), file.at, file.since);
    for (const each of blocks) {
      const some = partial.get(each) ?? (filter && splitLines(unpackLines(each.content)));
      const piece = some ? output.lines(filtered(some, filter)) : output.block(each.content);
      pieces.push(piece);
      bytes += piece.length;
      if (bytes < PIECE_BYTES) continue;
      yield Buffer.concat(pieces, bytes);
      pieces = [];
      bytes = 0;
      await nextTurn();
    }
  }
  const last = Buffer.concat([...pieces, output.end()]);
  if (last.length > 0) yield last;
}

function filtered(lines: Buffer[], filter: StreamOptions['filter']): Buffer[] {
  return filter ? lines.map(filter).filter((line) => line !== undefined) : lines;
}

/** Reads chunks, one ahead of the one in use. */
async function* readAhead(pool: Pool, keyStore: RecordKeyStore, chunks: readonly ListedBlock[][]): AsyncGenerator<ReadBlock[]> {
  const read = (chunk: ListedBlock[] | undefined): ReturnType<typeof readChunk> | undefined => {
    const reading = chunk && readChunk(pool, keyStore, chunk);
    // If the download is given up before this chunk is asked for, nobody waits for it.
    reading?.catch(() => undefined);
    return reading;
  };
  let next = read(chunks[0]);
  for (let i = 1; next; i++) {
    const chunk = await next;
    next = read(chunks[i]);
    yield [...openChunk(chunk)];
  }
}
