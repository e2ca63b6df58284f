import type { TypeCode } from '../type-codes';
import type { BlockPosition } from './export-file';
import type { ListedBlock } from './listed-block';

/** A file ends at the first of these limits that it reaches. */
export interface FileLimits {
  /** Default 100,000. */
  readonly fileResources?: number;
  /** Bytes of NDJSON. Default 100,000,000. */
  readonly fileBytes?: number;
}

/** Consecutive blocks of one type code that form a file. */
export interface FileDraft {
  readonly typeCode: TypeCode;
  readonly from: BlockPosition;
  to: BlockPosition;
  /** Resources in the file, without those that are not visible. */
  count: number;
  bytes: number;
}

/**
 * The drafts, and the cost of the blocks of each type code so far. Serializable as JSON, so that a plan can continue.
 */
export interface DraftState {
  readonly drafts: FileDraft[];
  readonly costs: Record<TypeCode, number>;
  /** The index in `drafts` of the draft that receives the next block of each type code. */
  readonly open: Record<TypeCode, number>;
}

/**
 * Adds a block to the drafts. Blocks are cut into files, each of one type code and within both limits. The blocks of a
 * type code arrive in the order of user and block id. A block costs its share of either limit, whichever is larger; a
 * file ends when the costs make up one.
 * @returns the draft that contains it
 */
export function addToDrafts(
  { drafts, costs, open }: DraftState,
  { fileResources = 100_000, fileBytes = 100_000_000 }: FileLimits,
  { typeCode, userId, blockId, entryCount, plainBytes }: ListedBlock,
): FileDraft {
  const before = costs[typeCode] ?? 0;
  const cost = before + Math.max(entryCount / fileResources, plainBytes / fileBytes);
  costs[typeCode] = cost;
  const position = { userId, blockId };
  const current = drafts[open[typeCode] ?? -1];
  if (current && fileOf(cost) === fileOf(before)) {
    current.to = position;
    current.count += entryCount;
    current.bytes += plainBytes;
    return current;
  }
  const draft = { typeCode, from: position, to: position, count: entryCount, bytes: plainBytes };
  open[typeCode] = drafts.push(draft) - 1;
  return draft;
}

/** The number of the file that contains the block with which the costs reach this sum. */
function fileOf(cost: number): number {
  return Math.floor(cost - 1e-9);
}
