import type { Pool, PoolClient } from 'pg';
import { ContentionError } from '../errors';
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
  headKey,
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

/** Writes many resources of one record in one transaction: all or nothing. It obeys the concurrency rule in record-transaction.ts. */
export class BatchWrite {
  /** Of the last attempt. */
  private times: WriteTimestamps = { at: 0, executedAt: 0 };

  constructor(
    private readonly pool: Pool,
    private readonly keys: RecordKeys,
  ) {}

  /**
   * Carries out the changes; each resource may be named once.
   * @throws VersionConflictError, IdNotAvailableError, RecordDestroyedError; nothing is written then
   */
  async write(changes: readonly Change[], returnJson: boolean): Promise<ChangeOutcome[]> {
    assertEachOnce(changes);
    if (changes.length === 0) return [];
    return this.inTransaction(
      (connection, startWriting) => this.attempt(connection, startWriting, changes, returnJson),
      true,
    );
  }

  /**
   * Runs work that decides by what it reads what it writes, while it holds the record's lock. The work may be run again.
   * @throws RecordDestroyedError, the reason of the signal, and what the work throws; nothing is written then
   */
  transaction<T>(work: (record: LockedRecord) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.inTransaction(async (connection, startWriting) => {
      const statements = new SerialQueries(connection, signal);
      const write = async (changes: readonly Change[], returnJson: boolean): Promise<ChangeOutcome[]> => {
        assertEachOnce(changes);
        return changes.length === 0 ? [] : this.attempt(statements, startWriting, changes, returnJson);
      };
      try {
        return await work(new LockedRecord(statements, this.keys, write));
      } finally {
        await statements.end();
      }
    }, false);
  }

  private async inTransaction<T>(
    work: (connection: PoolClient, startWriting: StartWriting) => Promise<T>,
    writesAtOnce: boolean,
  ): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        const result = await inRecordTransaction(this.pool, this.keys.userId, work, { writesAtOnce });
        await waitOutLead(this.times);
        return result;
      } catch (error) {
        // The same block number was drawn, or a row is not as it was decided on: decide again.
        if (!isUniqueViolation(error) && !(error instanceof ContentionError)) throw error;
      }
    }
    throw new ContentionError();
  }

  private async attempt(
    connection: Queryable,
    startWriting: StartWriting,
    changes: readonly Change[],
    returnJson: boolean,
  ): Promise<ChangeOutcome[]> {
    const locked = await this.lockVersions(connection, changes);
    const clientAssigned = changes.filter(
      (change) => !change.delete && change.isClientAssignedId && !locked.has(headKey(change.typeCode, change.id)),
    );
    await claimClientAssignedIds(
      connection,
      this.keys.userId,
      clientAssigned.map(({ id }) => id),
    );
    const executedAt = await startWriting(connection);
    let at = executedAt;
    for (const version of locked.values()) at = Math.max(at, version.lastUpdated + 1);
    this.times = { at, executedAt };
    const plan = planBatch(this.keys, changes, locked, at, returnJson);
    await this.carryOut(connection, plan, at);
    return plan.outcomes;
  }

  /** The latest versions of the resources; those that exist are locked. */
  private async lockVersions(connection: Queryable, changes: readonly Change[]): Promise<Map<string, LockedVersion>> {
    const locked = new Map<string, LockedVersion>();
    for (const row of await run(connection, lockCurrent, this.keyParameters(changes))) {
      const version = currentVersion(row);
      locked.set(headKey(version.typeCode, version.id), version);
    }
    const absent = changes.filter(({ typeCode, id }) => !locked.has(headKey(typeCode, id)));
    if (absent.length === 0) return locked;
    for (const row of await run(connection, findDeletions, this.keyParameters(absent))) {
      const version = deletedVersion(row);
      locked.set(headKey(version.typeCode, version.id), version);
    }
    return locked;
  }

  private keyParameters(changes: readonly Change[]): unknown[] {
    return [
      this.keys.userId,
      smallintArray(changes.map(({ typeCode }) => typeCode)),
      uuidArray(changes.map(({ id }) => id)),
    ];
  }

  /** Each statement must find all rows as they were decided on, or the whole is rolled back. */
  private async carryOut(connection: Queryable, plan: BatchPlan, at: number): Promise<void> {
    const place = [this.keys.userId, at];
    const change = async (
      statement: Statement,
      rows: readonly unknown[],
      parameters: () => unknown[],
    ): Promise<void> => {
      if (rows.length === 0) return;
      const affected = await affectedRows(connection, statement, [...place, ...parameters()]);
      if (affected !== rows.length) throw new ContentionError();
    };
    await change(supersedeDeletions, plan.restored, () => versionParameters(plan.restored));
    if (plan.superseded.length > 0)
      await run(connection, keepSuperseded, [...place, ...supersededParameters(plan.superseded)]);
    await change(deleteResources, plan.deletions, () => versionParameters(plan.deletions));
    await change(writeResources, plan.rows, () => [
      ...blockParameters(plan.blocks),
      ...this.rowParameters(plan.rows.toSorted(byKey)),
    ]);
  }

  private rowParameters(rows: readonly PlannedRow[]): unknown[] {
    const terms: bigint[] = [];
    const ranges: bigint[] = [];
    const ends = {
      termsFrom: [] as number[],
      termsTo: [] as number[],
      rangesFrom: [] as number[],
      rangesTo: [] as number[],
    };
    for (const row of rows) {
      const blinded = blindValues(this.keys, row.index);
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
}

/** Rows go into the primary key in its order: PostgreSQL then fills its pages instead of leaving a third of each empty. */
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

/** @throws Error for a history that does not end in a deletion although there is no current version: no version may follow */
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
  if (new Set(changes.map((change) => headKey(change.typeCode, change.id))).size < changes.length) {
    throw new RangeError('a batch may change each resource once');
  }
}
