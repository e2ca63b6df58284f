import type { RecordKeys } from '../keys/record-keys';
import type { Kind } from '../kinds';
import { readContent, unpackLines } from './block-content';

/** The lines of a sealed block, each ended by "\n". @throws UnsealingError */
export function openBlock(keys: RecordKeys, kind: Kind, blockId: bigint, sealed: Buffer): Buffer {
  return unpackLines(readContent(keys.openBlock(kind, blockId, sealed)));
}
