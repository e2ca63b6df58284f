import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { splitEntries, unpackEntries } from '../blocks/block-content';
import type { BlockPosition, ExportFile } from './export-file';
import type { ExportedRecords } from './exported-records';
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
 * The NDJSON lines of a file, block by block, of the blocks that the filter accepts. Yields to the event loop after
 * each block.
 * @throws SnapshotGoneError a day after the snapshot, UnsealingError
 */
export async function* fileLines(
  records: ExportedRecords,
  file: ExportFile,
  blockFilter: BlockFilter = () => true,
): AsyncGenerator<FileBlock> {
  const listed = (await blocksOfFile(records.pool, file)).filter(blockFilter);
  for await (const blocks of readAhead(records, chunksOf(listed))) {
    const partial = await visibleEntries(
      records.pool,
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
