import { MAX_BLOCK_BYTES, MAX_BLOCK_ENTRIES } from '../blocks/block-packing';

/** The columns of a block without its content. */
export interface BlockSummary {
  readonly blockId: string;
  readonly entryCount: number;
  readonly plainBytes: number;
  /** Made by a compaction of superseded entries only. */
  readonly history: boolean;
  /** How many of its entries are superseded; needed if it is half full, has several entries, and is no history. */
  readonly superseded: number;
}

/** Blocks of one tier that are compacted together into one of a higher tier. */
export const FAN_OUT = 4;

/**
 * The minimal fill of each tier. A block that is at least half full is in no tier: it is not compacted for its size.
 */
const TIERS = [0, 1 / 32, 1 / 8] as const;
export const FULL = 1 / 2;

/** A full block is compacted once this share of its entries is superseded. */
const SPARSE = 1 / 4;

/** The maximum that one transaction moves, so that writers do not wait long for it. */
const MAX_ENTRIES = 400;
const MAX_BYTES = 4 * MAX_BLOCK_BYTES;

/**
 * Chooses the blocks of one type code that one transaction compacts: size-tiered compaction, as in log-structured
 * stores. Blocks of the same tier are compacted together into one that is at least four times as large, so an entry is
 * rewritten once per tier: three times until its block is full. A full block is rewritten when a quarter of it is
 * superseded: at most three current entries are rewritten for each superseded one.
 * @returns no blocks when no compaction is worth its cost
 */
export function planCompaction(blocks: readonly BlockSummary[]): readonly BlockSummary[] {
  const current = blocks.filter(({ history }) => !history);
  const history = blocks.filter((block) => block.history);
  const chosen = [fragmentsOf(current), current.filter(isSparse), fragmentsOf(history)].find(
    ({ length }) => length > 0,
  );
  return withinLimits(chosen ?? []);
}

function isSparse(block: BlockSummary): boolean {
  return block.entryCount > 1 && fillOf(block) >= FULL && block.superseded >= block.entryCount * SPARSE;
}

/**
 * The blocks of the lowest tier that has enough of them, and of all tiers below. A tier above is added when it has
 * enough blocks together with the one into which the lower tiers are compacted.
 */
function fragmentsOf(blocks: readonly BlockSummary[]): BlockSummary[] {
  const tiers = TIERS.map((minFill, tier) => {
    const maxFill = TIERS[tier + 1] ?? FULL;
    return blocks.filter((block) => fillOf(block) >= minFill && fillOf(block) < maxFill);
  });
  let top = tiers.findIndex(({ length }) => length >= FAN_OUT);
  if (top < 0) return [];
  for (let tier = top + 1; tier < tiers.length; tier++) {
    const fill = tiers
      .slice(0, top + 1)
      .flat()
      .reduce((sum, block) => sum + fillOf(block), 0);
    const added = fill >= (TIERS[tier] as number) ? 1 : 0;
    if ((tiers[tier] as BlockSummary[]).length + added >= FAN_OUT) top = tier;
  }
  return tiers.slice(0, top + 1).flat();
}

/** How full a block is by the limit that it is closer to; 1 is a full one. */
function fillOf({ entryCount, plainBytes }: BlockSummary): number {
  return Math.max(entryCount / MAX_BLOCK_ENTRIES, plainBytes / MAX_BLOCK_BYTES);
}

/** The oldest of the blocks, up to the limits of one transaction. */
function withinLimits(blocks: readonly BlockSummary[]): BlockSummary[] {
  const chosen: BlockSummary[] = [];
  let [entryCount, bytes] = [0, 0];
  for (const block of blocks.toSorted((a, b) => (BigInt(a.blockId) < BigInt(b.blockId) ? -1 : 1))) {
    entryCount += block.entryCount;
    bytes += block.plainBytes;
    if (chosen.length > 0 && (entryCount > MAX_ENTRIES || bytes > MAX_BYTES)) break;
    chosen.push(block);
  }
  return chosen;
}
