import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pool } from 'pg';
import { splitLines, unpackLines } from '../blocks/block-content';
import type { RecordKeyStore } from '../keys/record-key-store';
import type { BlockPlace, ExportFile } from './export-file';
import { blocksOfFile } from './listed-block';
import { liveLines } from './live-lines';
import { chunksOf } from './read-blocks';
import { readAhead } from './stream-file';

/** The lines of a block that are in a file, without their line breaks. */
export interface FileBlock {
  readonly place: BlockPlace;
  /** Whether these are all lines of the block. The content of a block never changes. */
  readonly whole: boolean;
  readonly lines: readonly Buffer[];
}

/** Which blocks of a file shall be read; the others are left where they are. */
export type BlockChoice = (place: BlockPlace) => boolean;

/** The lines of a file, block by block, for one who looks at them and does not send them. Others get their turn between two blocks. */
export async function* fileLines(
  pool: Pool,
  keyStore: RecordKeyStore,
  file: ExportFile,
  wanted: BlockChoice,
): AsyncGenerator<FileBlock> {
  const listed = (await blocksOfFile(pool, file)).filter(wanted);
  for await (const blocks of readAhead(pool, keyStore, chunksOf(listed))) {
    const partial = await liveLines(
      pool,
      blocks.filter(({ block }) => !block.whole),
      file.at,
      file.since,
    );
    for (const each of blocks) {
      yield {
        place: each.block,
        whole: each.block.whole,
        lines: partial.get(each) ?? splitLines(unpackLines(each.content)),
      };
      await nextTurn();
    }
  }
}
