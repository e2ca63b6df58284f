import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { splitEntries, unpackEntries } from '../blocks/block-content';
import type { BlockPosition, ExportFile } from './export-file';
import type { ExportedRecords } from './exported-records';
import { blocksOfFile } from './listed-block';
import { readBlocks } from './read-blocks';

/** The NDJSON lines of a block that are in a file, without line breaks. */
export interface FileBlock {
  readonly position: BlockPosition;
  /** Whether the file contains all entries of the block. The content of a block never changes. */
  readonly isComplete: boolean;
  readonly lines: readonly Buffer[];
}

/**
 * The NDJSON lines of a file, block by block, of the blocks that the filter accepts. Yields to the event loop after
 * each block.
 * @throws SnapshotGoneError a day after the snapshot, UnsealingError
 */
export async function* fileLines(
  records: ExportedRecords,
  file: ExportFile,
  blockFilter: (position: BlockPosition) => boolean = () => true,
): AsyncGenerator<FileBlock> {
  const listed = (await blocksOfFile(records.pool, file)).filter(blockFilter);
  for await (const blocks of readBlocks(records, listed, file)) {
    for (const { block, content, visible } of blocks) {
      yield {
        position: block,
        isComplete: block.isComplete,
        lines: visible ?? splitEntries(unpackEntries(content)),
      };
      await yieldToEventLoop();
    }
  }
}
