import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { INDEX_VERSION } from '@tributary/fhir-search';
import { UnsealingError } from '@tributary/key-vault';
import { ObjectMissingError, type ObjectStorage, ObjectStorageError } from '@tributary/object-storage';
import type { Pool } from 'pg';
import { splitEntries } from '../blocks/block-content';
import { openBlock } from '../blocks/block-packing';
import { readMetadata } from '../blocks/entry';
import { ContentReader } from '../content-objects/content-reader';
import { blindValues } from '../index-values/blinding';
import type { RecordKeys } from '../keys/record-keys';
import { type Row, run } from '../postgres/statement';
import { BlockEntries } from '../read/stored-version';
import type { TypeCode } from '../type-codes';
import type { ExtractIndexValues } from './reindex-record';
import { type StoredRows, inSlices, readInGroups } from './stored-rows';
import {
  type VersionStatements,
  currentVersions,
  listBrokenHistories,
  nextBlock,
  supersededVersions,
} from './verify-statements';

/**
 * What is wrong with a part of a record.
 *
 * - `block-unreadable`: the block cannot be decrypted or unpacked, or its entries have another form.
 * - `block-count`: the block holds another number of entries than its row says.
 * - `content-missing`: the block or slot to which a version refers holds no entry of that version.
 * - `object-missing`: the object storage has not the content to which a version refers, or it cannot be decrypted.
 * - `index-wrong`: the search values of a row are not those of its resource.
 * - `index-failed`: the search values of a resource cannot be extracted.
 * - `history-gap`: the versions of a resource are not 1 to n, each once.
 * - `history-latest`: the latest version of a resource is not the only one in force.
 */
export type RecordProblemKind =
  | 'block-unreadable'
  | 'block-count'
  | 'content-missing'
  | 'object-missing'
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
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** Below every type code. */
const NO_TYPE_CODE = -32_768;

export interface RecordVerification {
  readonly pool: Pool;
  readonly keys: RecordKeys;
  /** Absent where no object storage is configured. */
  readonly objects?: ObjectStorage | undefined;
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
  let after: Row = [NO_TYPE_CODE, '0'];
  for (let blocks = 0; ; blocks++) {
    const [row] = await run(pool, nextBlock, [keys.userId, ...after]);
    if (!row) return blocks;
    const [typeCode, blockId, entryCount, content] = row as [TypeCode, string, number, Buffer];
    const count = attempt(() => {
      const entries = splitEntries(openBlock(keys, typeCode, BigInt(blockId), content));
      for (const entry of entries) readMetadata(typeCode, entry);
      return entries.length;
    });
    if (count !== entryCount)
      onProblem({ problem: count === undefined ? 'block-unreadable' : 'block-count', typeCode, blockId });
    after = [typeCode, blockId];
  }
}

/** Undefined: the work failed. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
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
  for (;;) {
    const listed = await run(pool, list, [keys.userId, ...last.slice(0, 3), ROWS_PER_STATEMENT]);
    for await (const group of readInGroups(pool, keys.userId, inOrderOfBlocks(listed), read)) {
      outdated += await verifyGroup(on, group);
      rows += group.rows.length;
    }
    if (listed.length < ROWS_PER_STATEMENT) return { rows, outdated };
    last = listed.at(-1) as Row;
  }
}

/** @returns how many of the rows have an index of older rules */
async function verifyGroup(
  { keys, objects, extractIndexValues, onProblem }: RecordVerification,
  { typeCode, rows }: StoredRows,
): Promise<number> {
  const entries = new BlockEntries(keys);
  for (const [, , , , , blockId, , content] of rows)
    if (content !== null) {
      attempt(() => entries.add(typeCode, blockId as string, content as Buffer));
      await yieldToEventLoop();
    }
  let outdated = 0;
  for await (const row of inSlices(rows)) {
    const [id, version, blockId, slot] = [row[1] as string, row[2] as number, row[5] as string, row[6] as number];
    const entry = attempt(() => entries.entry(typeCode, id, version, blockId, slot));
    if (entry && !(await hasObjects(keys, objects, entry)))
      onProblem({ problem: 'object-missing', typeCode, id, version });
    if (!entry) onProblem({ problem: 'content-missing', typeCode, id, version, blockId });
    else if (row[10] !== null && row[10] !== INDEX_VERSION) outdated++;
    else if (row[10] !== null) {
      const problem = indexProblem(keys, extractIndexValues, typeCode, entry, row);
      if (problem) onProblem({ problem, typeCode, id, version });
    }
  }
  return outdated;
}

/** Whether the objects to which an entry refers are there. Their content is read. */
async function hasObjects(keys: RecordKeys, storage: ObjectStorage | undefined, entry: Buffer): Promise<boolean> {
  const whole = new ContentReader(keys, storage).wholeJson(entry);
  try {
    if (whole) for await (const _piece of whole.pieces());
    return true;
  } catch (error) {
    const isShort = error instanceof ObjectStorageError && !error.isOutage;
    if (isShort || error instanceof ObjectMissingError || error instanceof UnsealingError) return false;
    throw error;
  }
}

function indexProblem(
  keys: RecordKeys,
  extractIndexValues: ExtractIndexValues,
  typeCode: TypeCode,
  entry: Buffer,
  row: Row,
): 'index-wrong' | 'index-failed' | undefined {
  const values = attempt(() => blindValues(keys, extractIndexValues(typeCode, entry)));
  if (!values) return 'index-failed';
  const isRight =
    sameMembers(values.terms.map(String), membersOf(row[8] as string)) &&
    sameMembers(triplesOf(values.ranges.map(String)), triplesOf(membersOf(row[9] as string | null)));
  return isRight ? undefined : 'index-wrong';
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
