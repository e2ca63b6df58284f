import type { Pool, PoolClient } from 'pg';
import { BlockLines } from '../read/stored-version';
import { packBlocks } from '../blocks/block-packing';
import type { RecordKeys } from '../keys/record-keys';
import type { Kind } from '../kinds';
import { bigintArray, integerArray, smallintArray, uuidArray } from '../postgres/binary-arrays';
import { type Row, type Statement, run } from '../postgres/statement';
import { inRecordTransaction } from '../write/record-transaction';
import { findBlocksToMerge, findSupersededIn, insertMergedBlock, lockCurrentIn, moveCurrent, moveSuperseded, readClock, retireBlocks } from './merge-statements';

/** Blocks that one merge takes in; more wait for the next. */
const BLOCKS_AT_ONCE = 1000;

export interface MergeResult {
  readonly retired: number;
  readonly written: number;
}

interface OldBlock {
  readonly kind: Kind;
  readonly blockId: string;
  readonly lines: number;
  readonly content: Buffer;
}

interface MergedLine {
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  readonly line: Buffer;
}

/**
 * Makes full blocks of small ones, and puts superseded lines apart from current ones, so that exports can send blocks
 * whole. The old blocks stay for exports as of an earlier time, until they are purged. What readers see does not change.
 */
export function mergeBlocks(pool: Pool, keys: RecordKeys): Promise<MergeResult> {
  return inRecordTransaction(pool, keys.userId, async (connection) => {
    const total = { retired: 0, written: 0 };
    const rows = await run(connection, findBlocksToMerge, [keys.userId, BLOCKS_AT_ONCE]);
    const blocks = rows.map(([kind, blockId, lines, content]) => ({ kind, blockId, lines, content }) as OldBlock);
    for (const kind of new Set(blocks.map((block) => block.kind))) {
      const merge = new KindMerge(connection, keys, kind, blocks.filter((block) => block.kind === kind));
      total.written += await merge.run();
      total.retired += merge.old.length;
    }
    return total;
  });
}

/** The merge of the blocks of one kind. */
class KindMerge {
  private readonly lines: BlockLines;
  private readonly oldIds: Buffer;

  constructor(
    private readonly connection: PoolClient,
    private readonly keys: RecordKeys,
    private readonly kind: Kind,
    readonly old: readonly OldBlock[],
  ) {
    this.lines = new BlockLines(keys);
    for (const { blockId, content } of old) this.lines.add(kind, blockId, content);
    this.oldIds = bigintArray(old.map(({ blockId }) => BigInt(blockId)));
  }

  /** @returns how many blocks were written */
  async run(): Promise<number> {
    const place = [this.keys.userId, this.kind];
    // Once the current rows are locked, single writes to them wait, and then find their line moved and start again.
    const currentRows = await run(this.connection, lockCurrentIn, [...place, this.oldIds]);
    const supersededRows = await run(this.connection, findSupersededIn, [...place, this.oldIds]);
    const lineCount = this.old.reduce((sum, { lines }) => sum + lines, 0);
    if (currentRows.length + supersededRows.length !== lineCount) throw new Error('a block holds lines that no version points to');

    const at = await this.timeAfter([...currentRows, ...supersededRows]);
    const written = await this.rewrite(currentRows, at, false, moveCurrent);
    const history = await this.rewrite(supersededRows, at, true, moveSuperseded);
    await run(this.connection, retireBlocks, [...place, this.oldIds, at]);
    return written + history;
  }

  /**
   * The time of the merge: exports as of then or earlier see the old blocks, later ones the new. It must lie after
   * everything that the old blocks say, or an export in between would see it neither here nor there.
   */
  private async timeAfter(rows: readonly Row[]): Promise<number> {
    const latest = rows.reduce((time, row) => Math.max(time, Number(row[4]), Number(row[5] ?? 0)), 0);
    for (;;) {
      const [clock] = await run(this.connection, readClock, []);
      const now = Number(clock?.[0]);
      if (now > latest) return now;
    }
  }

  private async rewrite(rows: readonly Row[], at: number, history: boolean, move: Statement): Promise<number> {
    if (rows.length === 0) return 0;
    const merged = rows.map(([id, version, blockId, slot, lastUpdated]): MergedLine => ({
      id: id as string,
      version: version as number,
      lastUpdated: Number(lastUpdated),
      line: this.lines.line(this.kind, id as string, version as number, blockId as string, slot as number),
    }));
    // By time, so that an export of what is new since some time finds most blocks wholly new or wholly old.
    merged.sort((a, b) => a.lastUpdated - b.lastUpdated || (a.id < b.id ? -1 : 1));
    const { blocks, places } = packBlocks(this.keys, this.kind, merged.map(({ line }) => line));
    let first = 0;
    for (const block of blocks) {
      const [oldest, newest] = [merged[first] as MergedLine, merged[first + block.lines - 1] as MergedLine];
      first += block.lines;
      await run(this.connection, insertMergedBlock, [
        this.keys.userId, this.kind, block.blockId, block.lines, block.plainBytes, at, oldest.lastUpdated, newest.lastUpdated, history, block.content,
      ]);
    }
    await run(this.connection, move, [
      this.keys.userId,
      this.kind,
      uuidArray(merged.map(({ id }) => id)),
      integerArray(merged.map(({ version }) => version)),
      bigintArray(places.map(({ blockId }) => blockId)),
      smallintArray(places.map(({ slot }) => slot)),
    ]);
    return blocks.length;
  }
}
