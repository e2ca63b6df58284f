import type { Pool, PoolClient } from 'pg';
import { ContentionError } from '../errors';
import { blindValues } from '../index-values/blinding';
import type { RecordKeys } from '../keys/record-keys';
import type { SealedBlock } from '../blocks/block-packing';
import { bigintArray, byteaArray, integerArray, smallintArray, uuidArray, wholeNumberArray } from '../postgres/binary-arrays';
import { SerialStatements } from '../postgres/serial-statements';
import { type Row, type Statements, isUniqueViolation, run } from '../postgres/statement';
import { type BatchPlan, type Change, type ChangeOutcome, type LockedHead, type PlannedRow, headKey, planBatch } from './batch-plan';
import { deleteResources, keepSuperseded, lockHeads, supersedeDeletions, writeResources } from './batch-statements';
import { LockedRecord } from './locked-record';
import { inRecordTransaction } from './record-transaction';

const ATTEMPTS = 5;

/** Writes many resources of one record in one transaction: all or nothing. */
export class BatchWrite {
  constructor(
    private readonly pool: Pool,
    private readonly keys: RecordKeys,
  ) {}

  /**
   * Carries out the changes; each resource may be named once.
   * @throws VersionConflictError, RecordDestroyedError; nothing is written then
   */
  async write(changes: readonly Change[], returnLines: boolean): Promise<ChangeOutcome[]> {
    assertEachOnce(changes);
    if (changes.length === 0) return [];
    return this.inTransaction((connection, ran) => this.attempt(connection, ran, changes, returnLines));
  }

  /**
   * Runs work that decides by what it reads what it writes, while it holds the record's lock. The work may be run again.
   * @throws RecordDestroyedError, and what the work throws; nothing is written then
   */
  transaction<T>(work: (record: LockedRecord) => Promise<T>): Promise<T> {
    return this.inTransaction(async (connection, ran) => {
      const statements = new SerialStatements(connection);
      const write = async (changes: readonly Change[], returnLines: boolean): Promise<ChangeOutcome[]> => {
        assertEachOnce(changes);
        return changes.length === 0 ? [] : this.attempt(statements, ran, changes, returnLines);
      };
      try {
        return await work(new LockedRecord(statements, this.keys, write));
      } finally {
        await statements.end();
      }
    });
  }

  private async inTransaction<T>(work: (connection: PoolClient, ran: number) => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return await inRecordTransaction(this.pool, this.keys.userId, work);
      } catch (error) {
        // A single create took the same id, or the same block number was drawn: decide again.
        if (!isUniqueViolation(error)) throw error;
      }
    }
    throw new ContentionError();
  }

  private async attempt(connection: Statements, ran: number, changes: readonly Change[], returnLines: boolean): Promise<ChangeOutcome[]> {
    const heads = await this.lockHeads(connection, changes);
    let at = ran;
    for (const head of heads.values()) at = Math.max(at, head.lastUpdated + 1);
    const plan = planBatch(this.keys, changes, heads, at, returnLines);
    await this.carryOut(connection, plan, at);
    return plan.outcomes;
  }

  private async lockHeads(connection: Statements, changes: readonly Change[]): Promise<Map<string, LockedHead>> {
    const kinds = smallintArray(changes.map((change) => change.kind));
    const ids = uuidArray(changes.map((change) => change.id));
    const rows = await run(connection, lockHeads, [this.keys.userId, kinds, ids]);
    return new Map(rows.map(readLockedHead).map((head) => [headKey(head.kind, head.id), head]));
  }

  private async carryOut(connection: Statements, plan: BatchPlan, at: number): Promise<void> {
    const place = [this.keys.userId, at];
    if (plan.restored.length > 0) await run(connection, supersedeDeletions, [...place, ...versionParameters(plan.restored)]);
    if (plan.superseded.length > 0) await run(connection, keepSuperseded, [...place, ...supersededParameters(plan.superseded)]);
    if (plan.deletions.length > 0) await run(connection, deleteResources, [...place, ...versionParameters(plan.deletions)]);
    if (plan.rows.length > 0) await run(connection, writeResources, [...place, ...blockParameters(plan.blocks), ...this.rowParameters(plan.rows.toSorted(byKey))]);
  }

  private rowParameters(rows: readonly PlannedRow[]): unknown[] {
    const terms: bigint[] = [];
    const ranges: bigint[] = [];
    const ends = { termsFrom: [] as number[], termsTo: [] as number[], rangesFrom: [] as number[], rangesTo: [] as number[] };
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
      smallintArray(rows.map((row) => row.kind)),
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
  return a.kind - b.kind || (a.id < b.id ? -1 : 1);
}

function blockParameters(blocks: readonly SealedBlock[]): unknown[] {
  return [
    smallintArray(blocks.map((block) => block.kind)),
    bigintArray(blocks.map((block) => block.blockId)),
    smallintArray(blocks.map((block) => block.lines)),
    integerArray(blocks.map((block) => block.plainBytes)),
    byteaArray(blocks.map((block) => block.content)),
  ];
}

function versionParameters(versions: readonly { kind: number; id: string; version: number }[]): unknown[] {
  return [smallintArray(versions.map((each) => each.kind)), uuidArray(versions.map((each) => each.id)), integerArray(versions.map((each) => each.version))];
}

function supersededParameters(heads: readonly LockedHead[]): unknown[] {
  return [
    ...versionParameters(heads),
    wholeNumberArray(heads.map((head) => head.lastUpdated)),
    bigintArray(heads.map((head) => head.blockId)),
    smallintArray(heads.map((head) => head.slot as number)),
  ];
}

function readLockedHead([kind, id, version, lastUpdated, deleted, sourceHash, blockId, slot]: Row): LockedHead {
  return {
    kind: kind as number,
    id: id as string,
    version: version as number,
    lastUpdated: Number(lastUpdated),
    deleted: deleted as boolean,
    sourceHash: optionalBigint(sourceHash),
    blockId: optionalBigint(blockId),
    slot: slot as number | null,
  };
}

function optionalBigint(value: Row[number] | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(value as string);
}

function assertEachOnce(changes: readonly Change[]): void {
  if (new Set(changes.map((change) => headKey(change.kind, change.id))).size < changes.length) {
    throw new RangeError('a batch may change each resource once');
  }
}
