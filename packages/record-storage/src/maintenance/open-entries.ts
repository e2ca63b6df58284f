import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { splitEntries } from '../blocks/block-content';
import { readMetadata } from '../blocks/entry';
import { openBlock } from '../blocks/block-packing';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';

/** An entry of a block that is being compacted, with its location. */
export interface BlockEntry {
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  readonly entry: Buffer;
  readonly blockId: string;
  readonly slot: number;
}

/**
 * Blocks cannot be compacted: they do not open, or hold entries that no version points to. The others of the record
 * can.
 */
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

/** The entries of blocks. One block is decrypted per iteration of the event loop. @throws UnreadableBlocksError */
export async function openEntries(
  keys: RecordKeys,
  typeCode: TypeCode,
  blocks: readonly { blockId: string; content: Buffer }[],
): Promise<BlockEntry[]> {
  const opened: BlockEntry[] = [];
  for (const { blockId, content } of blocks) {
    opened.push(...entriesOf(keys, typeCode, blockId, content));
    await yieldToEventLoop();
  }
  return opened;
}

function entriesOf(keys: RecordKeys, typeCode: TypeCode, blockId: string, content: Buffer): BlockEntry[] {
  try {
    const entries = splitEntries(openBlock(keys, typeCode, BigInt(blockId), content));
    return entries.map((entry, slot) => ({ ...readMetadata(typeCode, entry), entry, blockId, slot }));
  } catch (cause) {
    throw new UnreadableBlocksError([blockId], 'a block cannot be opened', { cause });
  }
}
