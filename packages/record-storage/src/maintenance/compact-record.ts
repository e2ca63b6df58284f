import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { run } from '../postgres/statement';
import { type CompactionResult, UnreadableBlocksError, compactBlocks } from './compact-blocks';
import { type BlockSummary, planCompaction } from './compaction-plan';
import { findTypeCodes, listBlocks } from './compaction-statements';

export interface CompactionScope {
  /** Default: all type codes with blocks. */
  readonly typeCodes?: readonly TypeCode[];
  /** Stops between two transactions. */
  readonly signal?: AbortSignal;
  /** The maximum number of transactions. Default: no maximum. */
  readonly maxTransactions?: number;
}

export interface RecordCompaction extends CompactionResult {
  /** Whether it ended early. */
  readonly more: boolean;
  /** Blocks that were left out. */
  readonly unreadable: readonly UnreadableBlock[];
}

export interface UnreadableBlock {
  readonly typeCode: TypeCode;
  readonly blockId: string;
  readonly error: Error;
}

/**
 * Compacts the blocks of a record until no compaction is worth its cost. A block that cannot be decrypted is left out.
 * @throws RecordDestroyedError
 */
export async function compactRecord(
  pool: Pool,
  keys: RecordKeys,
  scope: CompactionScope = {},
): Promise<RecordCompaction> {
  const { signal, maxTransactions = Infinity } = scope;
  const typeCodes =
    scope.typeCodes ?? (await run(pool, findTypeCodes, [keys.userId])).map(([typeCode]) => typeCode as TypeCode);
  const unreadable: UnreadableBlock[] = [];
  let [retired, written, transactions] = [0, 0, 0];
  for (const typeCode of typeCodes) {
    for (;;) {
      const left = unreadable.map(({ blockId }) => blockId);
      const blocks = (await summaries(pool, keys.userId, typeCode)).filter(({ blockId }) => !left.includes(blockId));
      const chosen = planCompaction(blocks).map(({ blockId }) => blockId);
      if (chosen.length === 0) break;
      if (signal?.aborted || transactions === maxTransactions) return { retired, written, more: true, unreadable };
      transactions++;
      try {
        const result = await compactBlocks(pool, keys, typeCode, chosen);
        if (!result) return { retired, written, more: true, unreadable };
        retired += result.retired;
        written += result.written;
      } catch (error) {
        if (!(error instanceof UnreadableBlocksError)) throw error;
        unreadable.push(...error.blockIds.map((blockId) => ({ typeCode, blockId, error })));
      }
      await yieldToEventLoop();
    }
  }
  return { retired, written, more: false, unreadable };
}

async function summaries(pool: Pool, userId: number, typeCode: TypeCode): Promise<BlockSummary[]> {
  const rows = await run(pool, listBlocks, [userId, typeCode]);
  return rows.map(([blockId, entryCount, plainBytes, history, superseded]) => ({
    blockId: blockId as string,
    entryCount: entryCount as number,
    plainBytes: plainBytes as number,
    history: history as boolean,
    superseded: superseded as number,
  }));
}
