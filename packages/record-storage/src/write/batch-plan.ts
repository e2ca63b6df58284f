import type { IndexValues } from '@tributary/fhir-search';
import { type SealedBlock, packBlocks } from '../blocks/block-packing';
import { renderLine } from '../blocks/line';
import { VersionConflictError } from '../errors';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { type NewContent, sourceHashOf } from './content';

interface ChangeTarget {
  readonly typeCode: TypeCode;
  readonly id: string;
  /** Writes only if the resource is at this version; 0: only if there is none. */
  readonly expectedVersion?: number;
}

/** Creates the resource, or stores its next version. */
export interface Upsert extends ChangeTarget, NewContent {
  /** The id was chosen by a client: a resource is created under it only if it is in no other record. */
  readonly isIdChosen?: boolean;
  readonly delete?: never;
}

/** Deletes the resource, if it is there. */
export interface Deletion extends ChangeTarget {
  readonly delete: true;
}

export type Change = Upsert | Deletion;

/** What became of one change. */
export interface ChangeOutcome {
  readonly typeCode: TypeCode;
  readonly id: string;
  /** absent: nothing was there to delete. */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'deleted' | 'absent';
  /** Of the version that is now the latest; 0 when there never was one. */
  readonly version: number;
  readonly lastUpdated: number;
  /** The stored line of a created or updated resource, if asked for. */
  readonly line?: Buffer;
}

/** The latest version of a resource, with where it lies. */
export interface LockedHead {
  readonly typeCode: TypeCode;
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  readonly deleted: boolean;
  readonly sourceHash: bigint | null;
  readonly blockId: bigint | null;
  readonly slot: number | null;
}

/** A new index row. */
export interface PlannedRow {
  readonly typeCode: TypeCode;
  readonly id: string;
  readonly version: number;
  readonly sourceHash: bigint | null;
  readonly index: IndexValues;
  readonly line: Buffer;
  blockId: bigint;
  slot: number;
}

/** Everything that a batch is going to write, decided before the first row is. */
export interface BatchPlan {
  readonly outcomes: ChangeOutcome[];
  readonly blocks: SealedBlock[];
  readonly rows: PlannedRow[];
  /** Versions that a new version or a deletion supersedes. */
  readonly superseded: LockedHead[];
  /** Deletions: the resource and the version of its tombstone. */
  readonly deletions: { typeCode: TypeCode; id: string; version: number }[];
  /** Tombstones of resources that come back. */
  readonly restored: LockedHead[];
}

export function headKey(typeCode: TypeCode, id: string): string {
  return `${typeCode}/${id}`;
}

/**
 * Decides what each change does, given the latest versions.
 * @param at the time of everything that is written, later than every head's
 * @throws VersionConflictError
 */
export function planBatch(
  keys: RecordKeys,
  changes: readonly Change[],
  heads: ReadonlyMap<string, LockedHead>,
  at: number,
  returnLines: boolean,
): BatchPlan {
  const plan: BatchPlan = { outcomes: [], blocks: [], rows: [], superseded: [], deletions: [], restored: [] };
  for (const change of changes) {
    const head = heads.get(headKey(change.typeCode, change.id));
    assertExpected(change, head);
    plan.outcomes.push(
      change.delete ? planDeletion(plan, change, head, at) : planUpsert(keys, plan, change, head, at, returnLines),
    );
  }
  placeLines(keys, plan);
  return plan;
}

function assertExpected(change: Change, head: LockedHead | undefined): void {
  const actual = head && !head.deleted ? head.version : undefined;
  if (change.expectedVersion !== undefined && change.expectedVersion !== (actual ?? 0)) {
    throw new VersionConflictError(change.typeCode, change.id, change.expectedVersion, actual);
  }
}

function planUpsert(
  keys: RecordKeys,
  plan: BatchPlan,
  change: Upsert,
  head: LockedHead | undefined,
  at: number,
  returnLines: boolean,
): ChangeOutcome {
  const { typeCode, id } = change;
  const sourceHash = sourceHashOf(keys, change.source, head?.sourceHash ?? null);
  if (head && !head.deleted) {
    if (isUnchanged(change, head, sourceHash))
      return { typeCode, id, outcome: 'unchanged', version: head.version, lastUpdated: head.lastUpdated };
    plan.superseded.push(head);
  } else if (head) {
    plan.restored.push(head);
  }
  const version = (head?.version ?? 0) + 1;
  const line = Buffer.from(renderLine(typeCode, { id, version, lastUpdated: at }, change.body), 'utf8');
  plan.rows.push({ typeCode, id, version, sourceHash, index: change.index, line, blockId: 0n, slot: 0 });
  return {
    typeCode,
    id,
    outcome: head && !head.deleted ? 'updated' : 'created',
    version,
    lastUpdated: at,
    ...(returnLines ? { line } : {}),
  };
}

function isUnchanged(change: Upsert, head: LockedHead, sourceHash: bigint | null): boolean {
  return typeof change.source !== 'symbol' && sourceHash !== null && sourceHash === head.sourceHash;
}

function planDeletion(
  plan: BatchPlan,
  { typeCode, id }: Deletion,
  head: LockedHead | undefined,
  at: number,
): ChangeOutcome {
  if (!head || head.deleted)
    return { typeCode, id, outcome: 'absent', version: head?.version ?? 0, lastUpdated: head?.lastUpdated ?? 0 };
  plan.superseded.push(head);
  plan.deletions.push({ typeCode, id, version: head.version + 1 });
  return { typeCode, id, outcome: 'deleted', version: head.version + 1, lastUpdated: at };
}

/** Seals the new lines, those of one kind together, and tells each row where its line went. */
function placeLines(keys: RecordKeys, plan: BatchPlan): void {
  const rowsByKind = new Map<TypeCode, PlannedRow[]>();
  for (const row of plan.rows) {
    const rows = rowsByKind.get(row.typeCode);
    if (rows) rows.push(row);
    else rowsByKind.set(row.typeCode, [row]);
  }
  for (const [typeCode, rows] of rowsByKind) {
    const { blocks, places } = packBlocks(
      keys,
      typeCode,
      rows.map((row) => row.line),
    );
    plan.blocks.push(...blocks);
    rows.forEach((row, i) => Object.assign(row, places[i]));
  }
}
