import type { RecordKeys } from '../keys/record-keys';
import type { Kind } from '../kinds';
import { readContent, splitLines, unpackLines } from './block-content';

/** The lines of a sealed block. @throws UnsealingError */
export function openBlock(keys: RecordKeys, kind: Kind, blockId: bigint, sealed: Buffer): Buffer[] {
  return splitLines(unpackLines(readContent(keys.openBlock(kind, blockId, sealed))));
}
