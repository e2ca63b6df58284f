import type { Pool, PoolClient } from 'pg';
import { ContentionError } from '../errors';
import { keyText } from '../resource-key';
import type { TypeCode } from '../type-codes';
import { blindValues } from '../index-values/blinding';
import type { RecordKeys } from '../keys/record-keys';
import type { SealedBlock } from '../blocks/block-packing';
import {
  bigintArray,
  byteaArray,
  integerArray,
  smallintArray,
  uuidArray,
  wholeNumberArray,
} from '../postgres/binary-arrays';
import { SerialQueries } from '../postgres/serial-queries';
import { type Row, type Statement, type Queryable, affectedRows, isUniqueViolation, run } from '../postgres/statement';
import {
  type BatchPlan,
  type Change,
  type ChangeOutcome,
  type LockedVersion,
  type PlannedRow,
  planBatch,
} from './batch-plan';
import {
  deleteResources,
  findDeletions,
  keepSuperseded,
  lockCurrent,
  supersedeDeletions,
  writeResources,
} from './batch-statements';
import { claimClientAssignedIds } from './claim-ids';
import { LockedRecord } from './locked-record';
import { type StartWriting, inRecordTransaction } from './record-transaction';
import { type WriteTimestamps, waitOutLead } from './commit-timestamps';

const ATTEMPTS = 5;

/** The state of a transaction that its writes use and update. */
interface Transaction {
  readonly keys: RecordKeys;
  readonly connection: PoolClient;
  readonly startWriting: StartWriting;
  /** The timestamps of what the transaction wrote; undefined before its first write. */
  timestamps?: WriteTimestamps;
}

/**
 * Carries out changes of one record in one transaction, all or none of them. Each resource may be named once. Obeys the
 * concurrency rule in record-transaction.ts.
 * @throws VersionConflictError, IdNotAvailableError, RecordDestroyedError, ContentionError, RangeError for a resource
 *   that is named twice; nothing is written then
 */
export async function writeBatch(
  pool: Pool,
  keys: RecordKeys,
  changes: readonly Change[],
  returnJson: boolean,
): Promise<ChangeOutcome[]> {
  assertEachOnce(changes);
  if (changes.length === 0) return [];
  return inTransaction(pool, keys, true, (transaction) => writeChanges(transaction, changes, returnJson));
}

/**
 * Runs work that reads and then writes while it holds the lock of the record. The work may be run again.
 * @throws RecordDestroyedError, ContentionError, the reason of the signal, and what the work throws; nothing is
 *   written then
 */
export function runTransaction<T>(
  pool: Pool,
  keys: RecordKeys,
  work: (record: LockedRecord) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return inTransaction(pool, keys, false, async (transaction) => {
    const queries = new SerialQueries(transaction.connection, signal);
    const write = async (changes: readonly Change[], returnJson: boolean): Promise<ChangeOutcome[]> => {
      assertEachOnce(changes);
      return changes.length === 0 ? [] : writeChanges(transaction, changes, returnJson, queries);
    };
    try {
      return await work(new LockedRecord(queries, keys, write));
    } finally {
      await queries.end();
    }
  });
}

async function inTransaction<T>(
  pool: Pool,
  keys: RecordKeys,
  writesAtOnce: boolean,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let timestamps: WriteTimestamps | undefined;
    try {
      const result = await inRecordTransaction(
        pool,
        keys.userId,
        async (connection, startWriting) => {
          const transaction: Transaction = { keys, connection, startWriting };
          const value = await work(transaction);
          timestamps = transaction.timestamps;
          return value;
        },
        { writesAtOnce },
      );
      if (timestamps) await waitOutLead(timestamps);
      return result;
    } catch (error) {
      // Another process generated the same block id, or a row is not the one that the plan was made for: plan again.
      if (!isUniqueViolation(error) && !(error instanceof ContentionError)) throw error;
    }
  }
  throw new ContentionError();
}

async function writeChanges(
  transaction: Transaction,
  changes: readonly Change[],
  returnJson: boolean,
  queryable: Queryable = transaction.connection,
): Promise<ChangeOutcome[]> {
  const { keys, startWriting } = transaction;
  const locked = await lockVersions(queryable, keys.userId, changes);
  const clientAssigned = changes.filter(
    (change) => !change.delete && change.isClientAssignedId && !locked.has(keyText(change)),
  );
  await claimClientAssignedIds(
    queryable,
    keys.userId,
    clientAssigned.map(({ id }) => id),
  );
  const executedAt = await startWriting(queryable);
  let at = executedAt;
  for (const version of locked.values()) at = Math.max(at, version.lastUpdated + 1);
  transaction.timestamps = { at, executedAt };
  const plan = planBatch(keys, changes, locked, at, returnJson);
  await carryOut(queryable, keys, plan, at);
  return plan.outcomes;
}

/** The latest versions of the resources; the current ones are locked. */
async function lockVersions(
  queryable: Queryable,
  userId: number,
  changes: readonly Change[],
): Promise<Map<string, LockedVersion>> {
  const locked = new Map<string, LockedVersion>();
  for (const row of await run(queryable, lockCurrent, keyParameters(userId, changes))) {
    const version = currentVersion(row);
    locked.set(keyText(version), version);
  }
  const absent = changes.filter(({ typeCode, id }) => !locked.has(keyText({ typeCode, id })));
  if (absent.length === 0) return locked;
  for (const row of await run(queryable, findDeletions, keyParameters(userId, absent))) {
    const version = deletedVersion(row);
    locked.set(keyText(version), version);
  }
  return locked;
}

function keyParameters(userId: number, changes: readonly Change[]): unknown[] {
  return [userId, smallintArray(changes.map(({ typeCode }) => typeCode)), uuidArray(changes.map(({ id }) => id))];
}

/**
 * Executes a plan.
 * @throws ContentionError if a statement does not find every row as it was planned for: the transaction is rolled
 *   back then
 */
async function carryOut(queryable: Queryable, keys: RecordKeys, plan: BatchPlan, at: number): Promise<void> {
  const userAndTime = [keys.userId, at];
  const change = async (statement: Statement, rows: readonly unknown[], parameters: () => unknown[]): Promise<void> => {
    if (rows.length === 0) return;
    const affected = await affectedRows(queryable, statement, [...userAndTime, ...parameters()]);
    if (affected !== rows.length) throw new ContentionError();
  };
  await change(supersedeDeletions, plan.restored, () => versionParameters(plan.restored));
  if (plan.superseded.length > 0)
    await run(queryable, keepSuperseded, [...userAndTime, ...supersededParameters(plan.superseded)]);
  await change(deleteResources, plan.deletions, () => versionParameters(plan.deletions));
  await change(writeResources, plan.rows, () => [
    ...blockParameters(plan.blocks),
    ...rowParameters(keys, plan.rows.toSorted(byKey)),
  ]);
}

function rowParameters(keys: RecordKeys, rows: readonly PlannedRow[]): unknown[] {
  const terms: bigint[] = [];
  const ranges: bigint[] = [];
  const ends = {
    termsFrom: [] as number[],
    termsTo: [] as number[],
    rangesFrom: [] as number[],
    rangesTo: [] as number[],
  };
  for (const row of rows) {
    const blinded = blindValues(keys, row.index);
    ends.termsFrom.push(terms.length + 1);
    ends.rangesFrom.push(ranges.length + 1);
    for (const term of blinded.terms) terms.push(term);
    for (const end of blinded.ranges) ranges.push(end);
    ends.termsTo.push(terms.length);
    ends.rangesTo.push(ranges.length);
  }
  return [
    smallintArray(rows.map((row) => row.typeCode)),
    uuidArray(rows.map((row) => row.id)),
    integerArray(rows.map((row) => row.version)),
    bigintArray(rows.map((row) => row.blockId)),
    smallintArray(rows.map((row) => row.slot)),
    bigintArray(rows.map((row) => row.sourceHash)),
    bigintArray(terms),
    integerArray(ends.termsFrom),
    integerArray(ends.termsTo),
    bigintArray(ranges),
    integerArray(ends.rangesFrom),
    integerArray(ends.rangesTo),
  ];
}

/**
 * Rows are inserted in the order of the primary key: PostgreSQL then fills the pages of the index instead of leaving a
 * third of each empty.
 */
function byKey(a: PlannedRow, b: PlannedRow): number {
  return a.typeCode - b.typeCode || (a.id < b.id ? -1 : 1);
}

function blockParameters(blocks: readonly SealedBlock[]): unknown[] {
  return [
    smallintArray(blocks.map((block) => block.typeCode)),
    bigintArray(blocks.map((block) => block.blockId)),
    smallintArray(blocks.map((block) => block.entries)),
    integerArray(blocks.map((block) => block.plainBytes)),
    byteaArray(blocks.map((block) => block.content)),
  ];
}

function versionParameters(versions: readonly { typeCode: number; id: string; version: number }[]): unknown[] {
  return [
    smallintArray(versions.map((each) => each.typeCode)),
    uuidArray(versions.map((each) => each.id)),
    integerArray(versions.map((each) => each.version)),
  ];
}

function supersededParameters(locked: readonly LockedVersion[]): unknown[] {
  return [
    ...versionParameters(locked),
    wholeNumberArray(locked.map((version) => version.lastUpdated)),
    bigintArray(locked.map((version) => version.blockId)),
    smallintArray(locked.map((version) => version.slot as number)),
  ];
}

function currentVersion([typeCode, id, version, lastUpdated, sourceHash, blockId, slot]: Row): LockedVersion {
  return {
    typeCode: typeCode as TypeCode,
    id: id as string,
    version: version as number,
    lastUpdated: Number(lastUpdated),
    deleted: false,
    sourceHash: optionalBigint(sourceHash),
    blockId: optionalBigint(blockId),
    slot: slot as number,
  };
}

/** @throws Error if there is no current version and the history does not end in a deletion: no version may follow */
function deletedVersion([typeCode, id, version, lastUpdated, isInForce]: Row): LockedVersion {
  if (!isInForce) throw new Error('a resource without current version has a history that does not end in a deletion');
  return {
    typeCode: typeCode as TypeCode,
    id: id as string,
    version: version as number,
    lastUpdated: Number(lastUpdated),
    deleted: true,
    sourceHash: null,
    blockId: null,
    slot: null,
  };
}

function optionalBigint(value: Row[number] | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(value as string);
}

function assertEachOnce(changes: readonly Change[]): void {
  if (new Set(changes.map((change) => keyText(change))).size < changes.length) {
    throw new RangeError('a batch may change each resource once');
  }
}
