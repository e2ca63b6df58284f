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

/** Drafts, and of each type code what its blocks have cost so far: JSON-able, so that a plan can be continued. */
export interface DraftState {
  readonly drafts: FileDraft[];
  readonly costs: Record<TypeCode, number>;
  /** For each type code the draft that its next block goes into. */
  readonly open: Record<TypeCode, number>;
}

/**
 * Cuts blocks into files, each of one type code and within both limits. The blocks of a type code come in the order of
 * user and block. A block costs its share of either limit, whichever is larger; a file ends when the costs make up one.
 */
export class FileDrafts {
  constructor(
    private readonly limits: FileLimits,
    readonly state: DraftState = { drafts: [], costs: {}, open: {} },
  ) {}

  /** Adds a block, and gives the draft that it went into. */
  add({ typeCode, userId, blockId, entryCount, plainBytes }: ListedBlock): FileDraft {
    const { fileResources = 100_000, fileBytes = 100_000_000 } = this.limits;
    const { drafts, costs, open } = this.state;
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
}

/** The file that a block belongs to with which the costs reach this sum. */
function fileOf(cost: number): number {
  return Math.floor(cost - 1e-9);
}
