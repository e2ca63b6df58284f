import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { splitEntries } from '../blocks/block-content';
import { type SealedBlock, divideIntoBlocks, openBlock, sealBlockOnThread } from '../blocks/block-packing';
import { type VersionMetadata, readMetadata } from '../blocks/entry';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import {
  bigintArray,
  byteaArray,
  integerArray,
  smallintArray,
  uuidArray,
  wholeNumberArray,
} from '../postgres/binary-arrays';
import { type Queryable, run } from '../postgres/statement';
import { type StartWriting, inRecordTransaction } from '../write/record-transaction';
import * as statements from './compaction-statements';

/** An entry of a block that is being compacted, with its location. */
interface BlockEntry extends VersionMetadata {
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

/** How many blocks a compaction replaced, and by how many. */
export interface CompactionResult {
  readonly retired: number;
  readonly written: number;
}

/** The maximum number of attempts. Each one after the first follows a change of the entries by concurrent writers. */
const ATTEMPTS = 3;
const PAUSE_MS = 60;

/** A new block, with the entries in it. */
interface NewBlock extends SealedBlock {
  readonly history: boolean;
  readonly from: readonly BlockEntry[];
}

/**
 * Moves the entries of some blocks of one type code to new, fuller blocks. Superseded and current entries get separate
 * blocks, so that exports can send blocks whole. The old blocks stay for exports as of an earlier time, until they are
 * purged. The results of reads do not change.
 *
 * Decryption, compression and encryption take long and happen before the record is locked. Under the lock, the
 * transaction verifies that the same entries are still current; if not, it is prepared again. Writers therefore wait
 * for a few statements only. The process may end at any time: nothing is stored before the transaction commits.
 * Compaction obeys the concurrency rule in write/record-transaction.ts.
 * @returns undefined if concurrent transactions changed the blocks or entries during every attempt
 * @throws UnreadableBlocksError, RecordDestroyedError
 */
export async function compactBlocks(
  pool: Pool,
  keys: RecordKeys,
  typeCode: TypeCode,
  blockIds: readonly string[],
): Promise<CompactionResult | undefined> {
  const compaction = new BlockCompaction(keys, typeCode, blockIds);
  const entries = await compaction.read(pool);
  for (let attempt = 0; entries && attempt < ATTEMPTS; attempt++) {
    const { current, superseded } = await compaction.divide(pool, entries);
    const blocks = [...(await compaction.seal(current, false)), ...(await compaction.seal(superseded, true))];
    const replaced = await inRecordTransaction(pool, keys.userId, (queries, startWriting) =>
      compaction.replace(queries, startWriting, current, superseded, blocks),
    );
    if (replaced) return { retired: blockIds.length, written: blocks.length };
    await sleep(PAUSE_MS);
  }
  return undefined;
}

class BlockCompaction {
  private readonly userAndType: readonly [number, TypeCode];
  private readonly ids: Buffer;

  constructor(
    private readonly keys: RecordKeys,
    private readonly typeCode: TypeCode,
    private readonly blockIds: readonly string[],
  ) {
    this.userAndType = [keys.userId, typeCode];
    this.ids = bigintArray(blockIds.map(BigInt));
  }

  /**
   * The entries of the blocks; undefined when another compaction has replaced some of them. One block is decrypted per
   * iteration of the event loop.
   */
  async read(pool: Pool): Promise<BlockEntry[] | undefined> {
    const rows = (await run(pool, statements.readBlocks, [...this.userAndType, this.ids])) as [string, Buffer][];
    if (rows.length < this.blockIds.length) return undefined;
    const entries: BlockEntry[] = [];
    for (const [blockId, content] of rows) {
      entries.push(...this.open(blockId, content));
      await yieldToEventLoop();
    }
    return entries;
  }

  private open(blockId: string, content: Buffer): BlockEntry[] {
    try {
      const entries = splitEntries(openBlock(this.keys, this.typeCode, BigInt(blockId), content));
      return entries.map((entry, slot) => ({ ...readMetadata(this.typeCode, entry), entry, blockId, slot }));
    } catch (cause) {
      throw new UnreadableBlocksError([blockId], 'a block cannot be opened', { cause });
    }
  }

  /**
   * Divides the entries into current and superseded ones, each sorted by time. An export with `since` can then include
   * or skip most blocks as a whole.
   */
  async divide(
    pool: Pool,
    entries: readonly BlockEntry[],
  ): Promise<{ current: BlockEntry[]; superseded: BlockEntry[] }> {
    const indexes = new Set(
      (await run(pool, statements.findCurrent, [...this.userAndType, ...entryParameters(entries)])).map(
        ([index]) => index,
      ),
    );
    const byTime = (a: BlockEntry, b: BlockEntry): number => a.lastUpdated - b.lastUpdated || (a.id < b.id ? -1 : 1);
    return {
      current: entries.filter((_, i) => indexes.has(i + 1)).toSorted(byTime),
      superseded: entries.filter((_, i) => !indexes.has(i + 1)).toSorted(byTime),
    };
  }

  /** Seals entries into new blocks, one block per iteration of the event loop. */
  async seal(entries: readonly BlockEntry[], history: boolean): Promise<NewBlock[]> {
    const blocks: NewBlock[] = [];
    for (const from of divideIntoBlocks(entries, ({ entry }) => entry)) {
      const block = await sealBlockOnThread(
        this.keys,
        this.typeCode,
        from.map(({ entry }) => entry),
      );
      blocks.push({ ...block, history, from });
      await yieldToEventLoop();
    }
    return blocks;
  }

  /**
   * Replaces the old blocks. The caller holds the lock of the record.
   * @returns false, without having written, if the blocks or their entries have changed
   */
  async replace(
    queries: Queryable,
    startWriting: StartWriting,
    current: readonly BlockEntry[],
    superseded: readonly BlockEntry[],
    blocks: readonly NewBlock[],
  ): Promise<boolean> {
    const inOrder = current.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const locked = await run(queries, statements.lockCurrent, [...this.userAndType, ...entryParameters(inOrder)]);
    if (locked.length < current.length) return false;
    const [blocksLeft] = await run(queries, statements.countBlocks, [...this.userAndType, this.ids]);
    if (blocksLeft?.[0] !== this.blockIds.length) return false;
    // The commit timestamp of the compaction: snapshots at or before it contain the old blocks, later ones the new. It
    // must be after every time that the old blocks contain; otherwise a snapshot in between would contain neither. It
    // must be after the old blocks were written; otherwise a snapshot in between would contain those that they replaced
    // and the new ones. It may be a little in the future, as commit timestamps are: rule 5 of the concurrency rule.
    const supersededAt = await this.supersededAt(queries, superseded);
    const latest = Math.max(Number(blocksLeft[1]), ...current.map(({ lastUpdated }) => lastUpdated), ...supersededAt);
    const at = Math.max(await startWriting(), latest + 1);
    await run(queries, statements.retireBlocks, [...this.userAndType, this.ids, at]);
    await run(queries, statements.insertBlocks, [...this.userAndType, at, ...blockParameters(blocks)]);
    await run(queries, statements.moveCurrent, [...this.userAndType, ...newLocations(blocks, false)]);
    await run(queries, statements.moveSuperseded, [...this.userAndType, ...newLocations(blocks, true)]);
    return true;
  }

  /**
   * The times at which these entries were superseded, in epoch milliseconds.
   * @throws UnreadableBlocksError for entries that no superseded version refers to
   */
  private async supersededAt(queries: Queryable, entries: readonly BlockEntry[]): Promise<number[]> {
    const rows = await run(queries, statements.findSuperseded, [...this.userAndType, ...entryParameters(entries)]);
    const found = new Set(rows.map(([index]) => index));
    const blockIds = entries.filter((_, i) => !found.has(i + 1)).map(({ blockId }) => blockId);
    if (blockIds.length > 0)
      throw new UnreadableBlocksError([...new Set(blockIds)], 'a block contains an entry that no version refers to');
    return rows.map(([, time]) => Number(time));
  }
}

function entryParameters(entries: readonly BlockEntry[]): unknown[] {
  return [
    uuidArray(entries.map(({ id }) => id)),
    integerArray(entries.map(({ version }) => version)),
    bigintArray(entries.map(({ blockId }) => BigInt(blockId))),
    smallintArray(entries.map(({ slot }) => slot)),
  ];
}

function blockParameters(blocks: readonly NewBlock[]): unknown[] {
  return [
    bigintArray(blocks.map(({ blockId }) => blockId)),
    smallintArray(blocks.map(({ entries }) => entries)),
    integerArray(blocks.map(({ plainBytes }) => plainBytes)),
    wholeNumberArray(blocks.map(({ from }) => (from[0] as BlockEntry).lastUpdated)),
    wholeNumberArray(blocks.map(({ from }) => (from.at(-1) as BlockEntry).lastUpdated)),
    blocks.map(({ history }) => history),
    byteaArray(blocks.map(({ content }) => content)),
  ];
}

/** The entries of new blocks, at their new locations. */
function newLocations(blocks: readonly NewBlock[], history: boolean): unknown[] {
  return entryParameters(
    blocks
      .filter((block) => block.history === history)
      .flatMap(({ blockId, from }) => from.map((entry, slot) => ({ ...entry, blockId: String(blockId), slot }))),
  );
}
