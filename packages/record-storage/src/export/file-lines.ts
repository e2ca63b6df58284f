import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Pool } from 'pg';
import { splitEntries, unpackEntries } from '../blocks/block-content';
import type { RecordKeyStore } from '../keys/record-key-store';
import type { BlockPosition, ExportFile } from './export-file';
import { blocksOfFile } from './listed-block';
import { visibleEntries } from './visible-entries';
import { chunksOf } from './read-blocks';
import { readAhead } from './stream-file';

/** The NDJSON lines of a block that are in a file, without line breaks. */
export interface FileBlock {
  readonly position: BlockPosition;
  /** Whether the file contains all entries of the block. The content of a block never changes. */
  readonly isComplete: boolean;
  readonly lines: readonly Buffer[];
}

/** Whether to read a block of a file. */
export type BlockFilter = (position: BlockPosition) => boolean;

/**
 * The NDJSON lines of a file, block by block, for a caller that inspects them. Yields to the event loop after each
 * block.
 */
export async function* fileLines(
  pool: Pool,
  keyStore: RecordKeyStore,
  file: ExportFile,
  blockFilter: BlockFilter,
): AsyncGenerator<FileBlock> {
  const listed = (await blocksOfFile(pool, file)).filter(blockFilter);
  for await (const blocks of readAhead(pool, keyStore, chunksOf(listed))) {
    const partial = await visibleEntries(
      pool,
      blocks.filter(({ block }) => !block.isComplete),
      file.at,
      file.since,
    );
    for (const each of blocks) {
      yield {
        position: each.block,
        isComplete: each.block.isComplete,
        lines: partial.get(each) ?? splitEntries(unpackEntries(each.content)),
      };
      await yieldToEventLoop();
    }
  }
}
