import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { readContent, unpackEntries } from './block-content';

/** The lines of a sealed block, each ended by "\n". @throws UnsealingError */
export function openBlock(keys: RecordKeys, typeCode: TypeCode, blockId: bigint, sealed: Buffer): Buffer {
  return unpackEntries(readContent(keys.openBlock(typeCode, blockId, sealed)));
}
