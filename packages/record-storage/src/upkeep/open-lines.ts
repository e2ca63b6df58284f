import { setImmediate as nextTurn } from 'node:timers/promises';
import { splitLines } from '../blocks/block-content';
import { readHead } from '../blocks/line';
import { openBlock } from '../blocks/open-block';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';

/** A line of a block that is being compacted, and where it lies. */
export interface OldLine {
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  readonly line: Buffer;
  readonly blockId: string;
  readonly slot: number;
}

/** Blocks cannot be compacted: they do not open, or hold lines that no version points to. The others of the record can. */
export class UnreadableBlocksError extends Error {
  override readonly name = 'UnreadableBlocksError';
  constructor(
    readonly blockIds: readonly string[],
    reason: string,
    options?: ErrorOptions,
  ) {
    super(reason, options);
  }
}

/** The lines of blocks, one block in a turn of the event loop. @throws UnreadableBlocksError */
export async function openLines(
  keys: RecordKeys,
  typeCode: TypeCode,
  blocks: readonly { blockId: string; content: Buffer }[],
): Promise<OldLine[]> {
  const opened: OldLine[] = [];
  for (const { blockId, content } of blocks) {
    opened.push(...linesOf(keys, typeCode, blockId, content));
    await nextTurn();
  }
  return opened;
}

function linesOf(keys: RecordKeys, typeCode: TypeCode, blockId: string, content: Buffer): OldLine[] {
  try {
    const lines = splitLines(openBlock(keys, typeCode, BigInt(blockId), content));
    return lines.map((line, slot) => ({ ...readHead(typeCode, line), line, blockId, slot }));
  } catch (cause) {
    throw new UnreadableBlocksError([blockId], 'a block cannot be opened', { cause });
  }
}
