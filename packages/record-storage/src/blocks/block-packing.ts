import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { packContent, packContentOnThread } from './block-content';
import { newBlockId } from './block-id';

/** A block holds the lines of up to so many resources, of up to so many bytes. */
export const BLOCK_LINES = 100;
export const BLOCK_BYTES = 65_536;

export interface SealedBlock {
  readonly typeCode: TypeCode;
  readonly blockId: bigint;
  readonly lines: number;
  readonly plainBytes: number;
  readonly content: Buffer;
}

/** Where a line lies. */
export interface LinePlace {
  readonly blockId: bigint;
  readonly slot: number;
}

/** Seals lines of one kind into as few blocks as their limits allow, of about the same size; places[i] is where lines[i] went. */
export function packBlocks(
  keys: RecordKeys,
  typeCode: TypeCode,
  lines: readonly Buffer[],
): { blocks: SealedBlock[]; places: LinePlace[] } {
  const blocks: SealedBlock[] = [];
  const places: LinePlace[] = [];
  for (const ofBlock of divideIntoBlocks(lines)) {
    const block = sealBlock(keys, typeCode, ofBlock);
    for (let slot = 0; slot < ofBlock.length; slot++) places.push({ blockId: block.blockId, slot });
    blocks.push(block);
  }
  return { blocks, places };
}

/** Divides lines, in their order, into as few blocks as the limits allow, of about the same size. */
export function* divideIntoBlocks(lines: readonly Buffer[]): Generator<readonly Buffer[]> {
  const share = evenShare(lines);
  for (let start = 0; start < lines.length;) {
    const end = endOfBlock(lines, start, share);
    yield lines.slice(start, end);
    start = end;
  }
}

/** Lines per block, so that 51 of them become 26 and 25, not 50 and 1. */
function evenShare(lines: readonly Buffer[]): number {
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
  return Math.ceil(lines.length / Math.max(Math.ceil(lines.length / BLOCK_LINES), Math.ceil(bytes / BLOCK_BYTES)));
}

function endOfBlock(lines: readonly Buffer[], start: number, share: number): number {
  let end = start;
  for (let bytes = 0; end < lines.length && end - start < share; end++) {
    bytes += (lines[end] as Buffer).length + 1;
    if (bytes > BLOCK_BYTES * 1.5 && end > start) break;
  }
  return end;
}

/** Seals these lines into one block. */
export function sealBlock(keys: RecordKeys, typeCode: TypeCode, lines: readonly Buffer[]): SealedBlock {
  const plain = joinLines(lines);
  const blockId = newBlockId();
  return {
    typeCode,
    blockId,
    lines: lines.length,
    plainBytes: plain.length,
    content: keys.sealBlock(typeCode, blockId, packContent(plain)),
  };
}

/** Seals these lines into one block, and compresses them on another thread. */
export async function sealBlockOnThread(
  keys: RecordKeys,
  typeCode: TypeCode,
  lines: readonly Buffer[],
): Promise<SealedBlock> {
  const plain = joinLines(lines);
  const content = await packContentOnThread(plain);
  const blockId = newBlockId();
  return {
    typeCode,
    blockId,
    lines: lines.length,
    plainBytes: plain.length,
    content: keys.sealBlock(typeCode, blockId, content),
  };
}

/** The lines as NDJSON, each ended by "\n". */
export function joinLines(lines: readonly Buffer[]): Buffer {
  const plain = Buffer.allocUnsafe(lines.reduce((sum, line) => sum + line.length + 1, 0));
  let at = 0;
  for (const line of lines) {
    at += line.copy(plain, at);
    plain[at++] = 0x0a;
  }
  return plain;
}
