import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Pool } from 'pg';
import { firstBlockIdOf } from '../../blocks/block-id';
import { splitEntries } from '../../blocks/block-content';
import { openBlock } from '../../blocks/block-packing';
import { readMetadata } from '../../blocks/entry';
import { takeSnapshot } from '../../export/snapshot-time';
import type { RecordKeys } from '../../keys/record-keys';
import { bigintArray, uuidArray } from '../../postgres/binary-arrays';
import { type Queryable, type Row, run } from '../../postgres/statement';
import type { TypeCode } from '../../type-codes';
import { findChanges, findRows, listRows } from './live-statements';
import { MemoryIndex } from './memory-index';

const ROWS_PER_STATEMENT = 2000;
/** Characters of index values that are added without keeping the event loop busy for more than some milliseconds. */
const CHARACTERS_AT_ONCE = 100_000;
/** The maximum number of index values of an index. Most rows have about 18; a List may have 100,000. */
export const MAX_VALUES = 2_000_000;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** After more changes than these the index is dropped: loading it again costs less. */
const MAX_NEW_BLOCKS = 50;
const MAX_CHANGES = 300;
/** Of the resources that have changed. Each change adds a row. */
const MAX_CHANGED_ROWS = 3000;
/** Of the content of new blocks when it is unpacked. A single resource may have tens of megabytes. */
const MAX_NEW_BYTES = 2_000_000;
/** How often changes are read that arrive while changes are read. */
const ATTEMPTS = 3;

/**
 * The index rows of one type code of a record in memory, which follow the database. Every change of a version writes a
 * block or a deletion with its commit timestamp. The index contains all versions before its snapshot time, so that the
 * blocks and deletions since then are all that can be missing (infra/docs/decisions/search-in-memory.md).
 */
export class LiveIndex {
  readonly rows = new MemoryIndex();
  /** Increases with each change of the rows. */
  revision = 0;
  /** Whether the rows are those of one instant of the database. */
  isConsistent = false;
  /** Whether the index no longer follows the database. */
  isDropped = false;
  private readonly blocks = new Set<bigint>();
  private readonly deletions = new Set<string>();
  private changedRows = 0;
  private reading: Promise<unknown> = Promise.resolve();
  private next: Promise<boolean> | undefined;

  /** @param since the snapshot time before the rows are read, in epoch milliseconds */
  private constructor(
    private readonly queryable: Queryable,
    private readonly keys: RecordKeys,
    private readonly typeCode: TypeCode,
    private readonly since: number,
  ) {}

  /**
   * Reads the index rows of a type code.
   * @param queryable reads the changes later
   * @throws the reason of the signal
   */
  static async load(
    pool: Pool,
    queryable: Queryable,
    keys: RecordKeys,
    typeCode: TypeCode,
    signal: AbortSignal,
  ): Promise<LiveIndex> {
    const { at } = await takeSnapshot(pool);
    const live = new LiveIndex(queryable, keys, typeCode, at);
    for (let after = NIL_UUID; ;) {
      signal.throwIfAborted();
      const rows = await run(pool, listRows, [keys.userId, typeCode, after, ROWS_PER_STATEMENT]);
      let characters = 0;
      for (const row of rows) {
        live.set(row);
        characters += (row[3] as string).length + ((row[4] as string | null)?.length ?? 0);
        if (characters < CHARACTERS_AT_ONCE) continue;
        characters = 0;
        await yieldToEventLoop();
      }
      if (rows.length < ROWS_PER_STATEMENT) return live;
      after = rows.at(-1)?.[0] as string;
    }
  }

  /**
   * Reads what has changed. Calls at the same time share the work.
   * @returns whether the rows were those of an instant after the call; otherwise the database changes too fast
   */
  catchUp(): Promise<boolean> {
    // What is being read now may have been read before this call.
    return (this.next ??= this.readNext());
  }

  private async readNext(): Promise<boolean> {
    await this.reading.catch(() => undefined);
    this.next = undefined;
    const reading = this.readChanges();
    this.reading = reading;
    return reading;
  }

  private async readChanges(): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS && !this.isDropped; attempt++) {
      const changes = await this.newChanges();
      if (!changes) this.isDropped = true;
      else if (changes.ids.length === 0) return (this.isConsistent = true);
      // The rows are of a later instant than the changes. They are consistent when no further change is found.
      else await this.apply(changes);
    }
    return false;
  }

  /** Undefined: the record is destroyed, there are too many changes, or a block cannot be read. */
  private async newChanges(): Promise<Changes | undefined> {
    const rows = await run(this.queryable, findChanges, [
      this.keys.userId,
      this.typeCode,
      this.since,
      firstBlockIdOf(this.since),
      bigintArray([...this.blocks]),
      MAX_NEW_BLOCKS + 1,
      MAX_NEW_BYTES,
    ]);
    const changes: Changes = { ids: [], blocks: [], deletions: [] };
    let exists = false;
    for (const [id, deletedAt, blockId, content] of rows) {
      if (blockId !== null) {
        const ids = this.idsIn(BigInt(blockId as string), content as Buffer | null);
        if (!ids) return undefined;
        changes.blocks.push(BigInt(blockId as string));
        changes.ids.push(...ids);
      } else if (id === null) exists = deletedAt === null;
      else if (!this.deletions.has(`${id as string} ${deletedAt as string}`)) {
        changes.deletions.push(`${id as string} ${deletedAt as string}`);
        changes.ids.push(id as string);
      }
    }
    const known = this.blocks.size + this.deletions.size;
    const isTooMuch =
      changes.blocks.length > MAX_NEW_BLOCKS ||
      known + changes.blocks.length + changes.deletions.length > MAX_CHANGES ||
      this.changedRows + changes.ids.length > MAX_CHANGED_ROWS;
    return exists && !isTooMuch ? changes : undefined;
  }

  /** Undefined for a block without content, and for one that is damaged: only reads of its resources may fail. */
  private idsIn(blockId: bigint, content: Buffer | null): string[] | undefined {
    if (!content) return undefined;
    try {
      return splitEntries(openBlock(this.keys, this.typeCode, blockId, content)).map(
        (entry) => readMetadata(this.typeCode, entry).id,
      );
    } catch {
      return undefined;
    }
  }

  private async apply({ ids, blocks, deletions }: Changes): Promise<void> {
    const found = await run(this.queryable, findRows, [this.keys.userId, this.typeCode, uuidArray(ids)]);
    this.isConsistent = false;
    this.revision++;
    this.changedRows += ids.length;
    for (const id of ids) this.rows.remove(id);
    for (const row of found) this.set(row);
    if (this.rows.values > MAX_VALUES) this.isDropped = true;
    for (const block of blocks) this.blocks.add(block);
    for (const deletion of deletions) this.deletions.add(deletion);
  }

  private set([id, version, lastUpdated, terms, ranges]: Row): void {
    this.rows.set({
      id: id as string,
      version: version as number,
      lastUpdated: Number(lastUpdated),
      terms: bigintsOf(terms as string),
      ranges: bigintsOf(ranges as string | null),
    });
  }
}

/** The resources that have changed, and what says so: blocks, and deletions with their times. */
interface Changes {
  readonly ids: string[];
  readonly blocks: bigint[];
  readonly deletions: string[];
}

/** The members of a `bigint[]` in the text form of PostgreSQL. */
function bigintsOf(array: string | null): bigint[] {
  return array === null || array === '{}' ? [] : array.slice(1, -1).split(',').map(BigInt);
}
