import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { packContent, packContentOnThread, readContent, unpackEntries } from './block-content';
import { newBlockId } from './block-id';

/**
 * The maximum number of entries of a block, and of their uncompressed bytes. A single larger entry gets its own block.
 */
export const MAX_BLOCK_ENTRIES = 100;
export const MAX_BLOCK_BYTES = 65_536;

export interface SealedBlock {
  readonly typeCode: TypeCode;
  readonly blockId: bigint;
  readonly entries: number;
  readonly plainBytes: number;
  readonly content: Buffer;
}

/**
 * Divides items, in their order, into as few blocks as the limits allow, of about the same size.
 * @param entryOf the entry of an item
 */
export function* divideIntoBlocks<T>(items: readonly T[], entryOf: (item: T) => Buffer): Generator<readonly T[]> {
  const lengths = items.map((item) => entryOf(item).length + 1);
  const maxEntries = entriesPerBlock(lengths);
  for (let start = 0; start < items.length;) {
    const end = endOfBlock(lengths, start, maxEntries);
    yield items.slice(start, end);
    start = end;
  }
}

/** Entries per block: 101 become 51 and 50, not 100 and 1. */
function entriesPerBlock(lengths: readonly number[]): number {
  const bytes = lengths.reduce((sum, length) => sum + length, 0);
  return Math.ceil(
    lengths.length / Math.max(Math.ceil(lengths.length / MAX_BLOCK_ENTRIES), Math.ceil(bytes / MAX_BLOCK_BYTES)),
  );
}

function endOfBlock(lengths: readonly number[], start: number, maxEntries: number): number {
  let end = start;
  for (let bytes = 0; end < lengths.length && end - start < maxEntries; end++) {
    bytes += lengths[end] as number;
    if (bytes > MAX_BLOCK_BYTES * 1.5 && end > start) break;
  }
  return end;
}

/**
 * Seals these entries into one block.
 * @param time the commit timestamp of the entries or later, in epoch milliseconds
 */
export function sealBlock(keys: RecordKeys, typeCode: TypeCode, entries: readonly Buffer[], time: number): SealedBlock {
  const plain = joinEntries(entries);
  return sealContent(keys, typeCode, entries.length, plain.length, packContent(plain), time);
}

/** Seals these entries into one block, and compresses them on another thread. */
export async function sealBlockOnThread(
  keys: RecordKeys,
  typeCode: TypeCode,
  entries: readonly Buffer[],
): Promise<SealedBlock> {
  const plain = joinEntries(entries);
  return sealContent(keys, typeCode, entries.length, plain.length, await packContentOnThread(plain), Date.now());
}

function sealContent(
  keys: RecordKeys,
  typeCode: TypeCode,
  entries: number,
  plainBytes: number,
  packed: Buffer,
  time: number,
): SealedBlock {
  const blockId = newBlockId(time);
  return { typeCode, blockId, entries, plainBytes, content: keys.sealBlock(typeCode, blockId, packed) };
}

/** Concatenates entries, each ended by "\n". */
export function joinEntries(entries: readonly Buffer[]): Buffer {
  const plain = Buffer.allocUnsafe(entries.reduce((sum, entry) => sum + entry.length + 1, 0));
  let offset = 0;
  for (const entry of entries) {
    offset += entry.copy(plain, offset);
    plain[offset++] = 0x0a;
  }
  return plain;
}

/** How much content a caller may unpack. */
export interface ReadBudget {
  /**
   * Called before the content of a block is unpacked.
   * @param bytes when it is unpacked
   * @throws an error of the caller, with which the read fails
   */
  take(bytes: number): void;
}

/**
 * Decrypts a block. Returns its entries, each ended by "\n".
 * @throws UnsealingError if it was encrypted for another user, type code or block id, and what the budget throws
 */
export function openBlock(
  keys: RecordKeys,
  typeCode: TypeCode,
  blockId: bigint,
  sealed: Buffer,
  budget?: ReadBudget,
): Buffer {
  const content = readContent(keys.openBlock(typeCode, blockId, sealed));
  budget?.take(content.plainLength);
  return unpackEntries(content);
}
