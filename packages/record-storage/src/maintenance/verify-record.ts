import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { INDEX_VERSION } from '@tributary/fhir-search';
import type { Pool } from 'pg';
import { entryAt, splitEntries } from '../blocks/block-content';
import { openBlock } from '../blocks/block-packing';
import { assertEntryIs, readMetadata } from '../blocks/entry';
import { blindValues } from '../index-values/blinding';
import type { RecordKeys } from '../keys/record-keys';
import { bigintArray, integerArray, uuidArray } from '../postgres/binary-arrays';
import { type Row, run } from '../postgres/statement';
import type { TypeCode } from '../type-codes';
import type { ExtractIndexValues } from './reindex-record';
import {
  type VersionStatements,
  currentVersions,
  listBlocks,
  listBrokenHistories,
  readBlockContents,
  supersededVersions,
} from './verify-statements';

/**
 * What is wrong with a part of a record.
 *
 * - `block-unreadable`: the block cannot be decrypted or unpacked, or its entries have another form.
 * - `block-count`: the block holds another number of entries than its row says.
 * - `content-missing`: the block or slot to which a version refers holds no entry of that version.
 * - `index-wrong`: the search values of a row are not those of its resource.
 * - `index-failed`: the search values of a resource cannot be extracted.
 * - `history-gap`: the versions of a resource are not 1 to n, each once.
 * - `history-latest`: the latest version of a resource is not the only one in force.
 */
export type RecordProblemKind =
  | 'block-unreadable'
  | 'block-count'
  | 'content-missing'
  | 'index-wrong'
  | 'index-failed'
  | 'history-gap'
  | 'history-latest';

/** A problem of a block or of a version. It quotes nothing of a resource. */
export interface RecordProblem {
  readonly problem: RecordProblemKind;
  readonly typeCode: TypeCode;
  readonly blockId?: string;
  readonly id?: string;
  readonly version?: number;
}

/** What was verified. */
export interface VerifiedRecord {
  readonly blocks: number;
  readonly current: number;
  readonly superseded: number;
  /** Rows of older index rules, which are not compared: searches decide on their content. */
  readonly outdated: number;
  readonly problems: number;
}

/** The maximum number of rows that one statement lists. */
const ROWS_PER_STATEMENT = 1000;
/** The maximum of uncompressed bytes of the blocks that one statement reads. A single block may be larger. */
const MAX_GROUP_BYTES = 1_048_576;
/** Milliseconds of work between two yields to the event loop. */
const SLICE_MS = 4;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** Below every type code. */
const NO_TYPE_CODE = -32_768;

export interface RecordVerification {
  readonly pool: Pool;
  readonly keys: RecordKeys;
  readonly extractIndexValues: ExtractIndexValues;
  readonly onProblem: (problem: RecordProblem) => void;
}

/**
 * Verifies that every block opens, that every version is where its row says, that the index rows agree with the index
 * rules, and that the versions of each resource are 1 to n. It takes no lock and keeps no transaction open. The parts
 * that belong together are read by one statement, so that concurrent writes and compactions cause no problem. Its
 * memory is bounded by the size of a block, whatever the size of the record.
 */
export async function verifyRecord(on: RecordVerification): Promise<VerifiedRecord> {
  let problems = 0;
  const counted: RecordVerification = {
    ...on,
    onProblem: (problem) => {
      problems++;
      on.onProblem(problem);
    },
  };
  const blocks = await verifyBlocks(counted);
  const current = await verifyVersions(counted, currentVersions);
  const superseded = await verifyVersions(counted, supersededVersions);
  for (const [typeCode, id, hasGap] of await run(on.pool, listBrokenHistories, [on.keys.userId]))
    counted.onProblem({
      problem: hasGap ? 'history-gap' : 'history-latest',
      typeCode: typeCode as TypeCode,
      id: id as string,
    });
  return { blocks, current: current.rows, superseded: superseded.rows, outdated: current.outdated, problems };
}

async function verifyBlocks({ pool, keys, onProblem }: RecordVerification): Promise<number> {
  let [blocks, last] = [0, [NO_TYPE_CODE, '0'] as Row];
  for (let listed: Row[] | undefined; listed?.length !== 0;) {
    listed = await run(pool, listBlocks, [keys.userId, last[0], last[1], ROWS_PER_STATEMENT]);
    for (const group of groupsOf(listed, 1, 2)) {
      const typeCode = (group[0] as Row)[0] as TypeCode;
      const ids = bigintArray(group.map(([, blockId]) => BigInt(blockId as string)));
      // A block that was purged since it was listed is absent.
      for (const [blockId, entryCount, content] of await run(pool, readBlockContents, [keys.userId, typeCode, ids])) {
        const count = countEntries(keys, typeCode, blockId as string, content as Buffer);
        if (count !== entryCount)
          onProblem({
            problem: count === undefined ? 'block-unreadable' : 'block-count',
            typeCode,
            blockId: blockId as string,
          });
        blocks++;
        await yieldToEventLoop();
      }
    }
    last = listed.at(-1) ?? last;
  }
  return blocks;
}

/** Undefined: the block cannot be read. */
function countEntries(keys: RecordKeys, typeCode: TypeCode, blockId: string, content: Buffer): number | undefined {
  try {
    const entries = splitEntries(openBlock(keys, typeCode, BigInt(blockId), content));
    for (const entry of entries) readMetadata(typeCode, entry);
    return entries.length;
  } catch {
    return undefined;
  }
}

async function verifyVersions(
  on: RecordVerification,
  { list, read }: VersionStatements,
): Promise<{ rows: number; outdated: number }> {
  const { pool, keys } = on;
  let [rows, outdated, last] = [0, 0, [NO_TYPE_CODE, NIL_UUID, 0] as Row];
  for (let listed: Row[] | undefined; listed?.length !== 0;) {
    listed = await run(pool, list, [keys.userId, last[0], last[1], last[2], ROWS_PER_STATEMENT]);
    for (const group of groupsOf(inOrderOfBlocks(listed), 3, 4)) {
      const typeCode = (group[0] as Row)[0] as TypeCode;
      const ids = uuidArray(group.map(([, id]) => id as string));
      const versions = integerArray(group.map(([, , version]) => version as number));
      const found = await run(pool, read, [keys.userId, typeCode, ids, versions]);
      outdated += await verifyGroup(on, typeCode, found);
      rows += found.length;
    }
    last = listed.at(-1) ?? last;
  }
  return { rows, outdated };
}

/** @returns how many of the rows have an index of older rules */
async function verifyGroup(
  { keys, extractIndexValues, onProblem }: RecordVerification,
  typeCode: TypeCode,
  rows: readonly Row[],
): Promise<number> {
  const blocks = new Map<string, Buffer | undefined>();
  for (const [, , , , , blockId, , content] of rows)
    if (content !== null) {
      blocks.set(blockId as string, openOrUndefined(keys, typeCode, blockId as string, content as Buffer));
      await yieldToEventLoop();
    }
  let outdated = 0;
  let sliceEnds = performance.now() + SLICE_MS;
  for (const row of rows) {
    const [id, version, blockId] = [row[1] as string, row[2] as number, row[5] as string];
    const entry = entryOf(typeCode, id, version, blocks.get(blockId), row[6] as number);
    if (!entry) onProblem({ problem: 'content-missing', typeCode, id, version, blockId });
    else if (row[10] !== null && row[10] !== INDEX_VERSION) outdated++;
    else if (row[10] !== null) {
      const problem = indexProblem(keys, extractIndexValues, typeCode, entry, row);
      if (problem) onProblem({ problem, typeCode, id, version });
    }
    if (performance.now() < sliceEnds) continue;
    await yieldToEventLoop();
    sliceEnds = performance.now() + SLICE_MS;
  }
  return outdated;
}

function openOrUndefined(keys: RecordKeys, typeCode: TypeCode, blockId: string, content: Buffer): Buffer | undefined {
  try {
    return openBlock(keys, typeCode, BigInt(blockId), content);
  } catch {
    return undefined;
  }
}

function entryOf(
  typeCode: TypeCode,
  id: string,
  version: number,
  block: Buffer | undefined,
  slot: number,
): Buffer | undefined {
  const entry = block && entryAt(block, slot);
  if (!entry) return undefined;
  try {
    assertEntryIs(typeCode, id, version, entry);
    return entry;
  } catch {
    return undefined;
  }
}

function indexProblem(
  keys: RecordKeys,
  extractIndexValues: ExtractIndexValues,
  typeCode: TypeCode,
  entry: Buffer,
  row: Row,
): 'index-wrong' | 'index-failed' | undefined {
  try {
    const { terms, ranges } = blindValues(keys, extractIndexValues(typeCode, entry));
    const isRight =
      sameMembers(terms.map(String), membersOf(row[8] as string)) &&
      sameMembers(triplesOf(ranges.map(String)), triplesOf(membersOf(row[9] as string | null)));
    return isRight ? undefined : 'index-wrong';
  } catch {
    return 'index-failed';
  }
}

/** The members of a `bigint[]` in the text form of PostgreSQL. */
function membersOf(array: string | null): string[] {
  return array === null || array === '{}' ? [] : array.slice(1, -1).split(',');
}

/** Name, low and high of each range as one text. */
function triplesOf(ranges: readonly string[]): string[] {
  const triples: string[] = [];
  for (let at = 0; at < ranges.length; at += 3) triples.push(ranges.slice(at, at + 3).join(' '));
  return triples;
}

function sameMembers(one: readonly string[], other: readonly string[]): boolean {
  const [left, right] = [new Set(one), new Set(other)];
  return left.size === right.size && [...left].every((member) => right.has(member));
}

function inOrderOfBlocks(rows: readonly Row[]): Row[] {
  return rows.toSorted(
    (one, other) => Number(one[0]) - Number(other[0]) || String(one[3]).localeCompare(String(other[3])),
  );
}

/** Groups of rows of one type code whose blocks are read at once. The rows of a block follow each other. */
function groupsOf(rows: readonly Row[], blockColumn: number, bytesColumn: number): Row[][] {
  const groups: Row[][] = [];
  let bytes = Infinity;
  let last: Row | undefined;
  for (const row of rows) {
    if (last?.[0] !== row[0] || last?.[blockColumn] !== row[blockColumn]) {
      if (last?.[0] !== row[0] || bytes + Number(row[bytesColumn]) > MAX_GROUP_BYTES) {
        groups.push([]);
        bytes = 0;
      }
      bytes += Number(row[bytesColumn]);
    }
    (groups.at(-1) as Row[]).push(row);
    last = row;
  }
  return groups;
}
