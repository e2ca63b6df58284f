import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { IndexValues } from '@tributary/fhir-search';
import type { Pool } from 'pg';
import { blindValues } from '../index-values/blinding';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { bigintArray, integerArray, uuidArray } from '../postgres/binary-arrays';
import { type Row, run } from '../postgres/statement';
import { BlockEntries } from '../read/stored-version';
import { finishRecord, listOutdated, readBlocks, replaceIndex } from './reindex-statements';

/** Extracts the index values of a resource from its JSON, by the present index rules. */
export type ExtractIndexValues = (typeCode: TypeCode, json: Buffer) => IndexValues;

/** The maximum number of rows that one statement lists. Each of their blocks is read once. */
const ROWS_PER_STATEMENT = 10_000;
/** The maximum of uncompressed bytes of the blocks that one statement reads. A single block may be larger. */
const MAX_GROUP_BYTES = 262_144;
/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 4;

interface OutdatedRow {
  readonly typeCode: TypeCode;
  readonly id: string;
  readonly version: number;
  readonly blockId: string;
  readonly slot: number;
  readonly plainBytes: number;
}

/**
 * Replaces the index values of a record's rows that obey older rules. The work may be interrupted anywhere, and may be
 * concurrent with writers and with other processes: a row is updated only if it still has the version that was read.
 * @param onProgress called after each group of rows; an exception ends the work
 * @returns the number of updated rows, and whether no row of older rules is left
 */
export async function reindexRecord(
  pool: Pool,
  keys: RecordKeys,
  extractIndexValues: ExtractIndexValues,
  onProgress: () => void | Promise<void> = () => undefined,
): Promise<{ rows: number; isCurrent: boolean }> {
  for (let rows = 0; ;) {
    const outdated = (await run(pool, listOutdated, [keys.userId, ROWS_PER_STATEMENT])).map(readOutdated);
    let made = 0;
    for (const group of groupsOf(outdated)) {
      made += await reindexRows(pool, keys, extractIndexValues, group);
      await onProgress();
    }
    rows += made;
    if (outdated.length < ROWS_PER_STATEMENT || made === 0)
      return { rows, isCurrent: (await run(pool, finishRecord, [keys.userId])).length > 0 };
  }
}

/** Groups of rows of one type code whose blocks are read at once. The rows are sorted by type code and block. */
function groupsOf(rows: readonly OutdatedRow[]): OutdatedRow[][] {
  const groups: OutdatedRow[][] = [];
  let bytes = Infinity;
  let last: OutdatedRow | undefined;
  for (const row of rows) {
    if (last?.typeCode !== row.typeCode || last.blockId !== row.blockId) {
      if (last?.typeCode !== row.typeCode || bytes + row.plainBytes > MAX_GROUP_BYTES) {
        groups.push([]);
        bytes = 0;
      }
      bytes += row.plainBytes;
    }
    (groups.at(-1) as OutdatedRow[]).push(row);
    last = row;
  }
  return groups;
}

async function reindexRows(
  pool: Pool,
  keys: RecordKeys,
  extractIndexValues: ExtractIndexValues,
  rows: readonly OutdatedRow[],
): Promise<number> {
  const { typeCode } = rows[0] as OutdatedRow;
  const blockIds = [...new Set(rows.map(({ blockId }) => blockId))];
  const blocks = await run(pool, readBlocks, [keys.userId, typeCode, bigintArray(blockIds.map(BigInt))]);
  const entries = new BlockEntries(keys);
  for (const [blockId, content] of blocks) {
    entries.add(typeCode, blockId as string, content as Buffer);
    await yieldToEventLoop();
  }
  // A block that was purged since the rows were listed belongs to rows that compaction moved: the next list has them.
  const stored = new Set(blocks.map(([blockId]) => blockId));
  const index = new FlatIndex();
  let sliceEnds = performance.now() + SLICE_MS;
  for (const row of rows.filter(({ blockId }) => stored.has(blockId))) {
    const { id, version } = row;
    index.add(
      id,
      version,
      blindValues(keys, extractIndexValues(typeCode, entries.entry(typeCode, id, version, row.blockId, row.slot))),
    );
    if (performance.now() < sliceEnds) continue;
    await yieldToEventLoop();
    sliceEnds = performance.now() + SLICE_MS;
  }
  return (await run(pool, replaceIndex, [keys.userId, typeCode, ...index.parameters()])).length;
}

/** The terms and ranges of many rows as one array each, with the first and last index of each row. */
class FlatIndex {
  private readonly ids: string[] = [];
  private readonly versions: number[] = [];
  private readonly terms: bigint[] = [];
  private readonly ranges: bigint[] = [];
  private readonly bounds = {
    termsFrom: [] as number[],
    termsTo: [] as number[],
    rangesFrom: [] as number[],
    rangesTo: [] as number[],
  };

  add(
    id: string,
    version: number,
    { terms, ranges }: { readonly terms: readonly bigint[]; readonly ranges: readonly bigint[] },
  ): void {
    this.ids.push(id);
    this.versions.push(version);
    this.bounds.termsFrom.push(this.terms.length + 1);
    this.bounds.rangesFrom.push(this.ranges.length + 1);
    for (const term of terms) this.terms.push(term);
    for (const range of ranges) this.ranges.push(range);
    this.bounds.termsTo.push(this.terms.length);
    this.bounds.rangesTo.push(this.ranges.length);
  }

  /** $3 to $10 of the statement. */
  parameters(): unknown[] {
    const { termsFrom, termsTo, rangesFrom, rangesTo } = this.bounds;
    return [
      uuidArray(this.ids),
      integerArray(this.versions),
      bigintArray(this.terms),
      integerArray(termsFrom),
      integerArray(termsTo),
      bigintArray(this.ranges),
      integerArray(rangesFrom),
      integerArray(rangesTo),
    ];
  }
}

function readOutdated([typeCode, id, version, blockId, slot, plainBytes]: Row): OutdatedRow {
  return {
    typeCode: typeCode as TypeCode,
    id: id as string,
    version: version as number,
    blockId: blockId as string,
    slot: slot as number,
    plainBytes: plainBytes as number,
  };
}
