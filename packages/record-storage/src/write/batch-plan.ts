import type { IndexValues } from '@tributary/fhir-search';
import { type SealedBlock, divideIntoBlocks, sealBlock } from '../blocks/block-packing';
import { BLOCKS_PER_TIME } from '../blocks/block-id';
import { renderEntry } from '../blocks/entry';
import { MUST_NOT_EXIST, VersionConflictError } from '../errors';
import { type ResourceKey, type ResourceVersion, keyText } from '../resource-key';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { type NewContent, sourceHashOf } from './content';

interface ChangeTarget extends ResourceKey {
  /** The version that must be current; MUST_NOT_EXIST if there must be none. */
  readonly expectedVersion?: number;
}

/** Creates the resource, or stores its next version. */
export interface Upsert extends ChangeTarget, NewContent {
  /** A client assigned the id: the resource is created only if no other record has the id. FHIR R4 http.html#upsert. */
  readonly isClientAssignedId?: boolean;
  readonly delete?: never;
}

/** Deletes the resource, if it is there. */
export interface Deletion extends ChangeTarget {
  readonly delete: true;
}

export type Change = Upsert | Deletion;

/** The result of one change. */
export interface ChangeOutcome extends ResourceKey {
  /** absent: there was nothing to delete. */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'deleted' | 'absent';
  /** The latest version after the change; 0 if there never was one. */
  readonly version: number;
  /** Epoch milliseconds; 0 if there never was a version. */
  readonly lastUpdated: number;
  /** The JSON of a created or updated resource, if requested. */
  readonly json?: Buffer;
}

/** The latest version of a resource, locked if it is current, with the location of its entry. */
export interface LockedVersion extends ResourceVersion {
  readonly deleted: boolean;
  readonly sourceHash: bigint | null;
  readonly blockId: bigint | null;
  readonly slot: number | null;
}

/** A new index row. */
export interface PlannedRow extends ResourceKey {
  readonly version: number;
  readonly sourceHash: bigint | null;
  readonly index: IndexValues;
  readonly json: Buffer;
  blockId: bigint;
  slot: number;
}

/** All rows that a batch writes, decided before the first statement writes. */
export interface BatchPlan {
  readonly outcomes: ChangeOutcome[];
  readonly blocks: SealedBlock[];
  readonly rows: PlannedRow[];
  /** Versions that a new version or a deletion supersedes. */
  readonly superseded: LockedVersion[];
  /** Deletions: the resource and the version of its tombstone. */
  readonly deletions: (ResourceKey & { readonly version: number })[];
  /** Deletions that a new version follows. */
  readonly restored: LockedVersion[];
}

/**
 * Decides what each change does, given the latest versions.
 * @param at the time of everything that is written, in epoch milliseconds, later than that of every latest version
 * @throws VersionConflictError
 */
export function planBatch(
  keys: RecordKeys,
  changes: readonly Change[],
  locked: ReadonlyMap<string, LockedVersion>,
  at: number,
  returnJson: boolean,
): BatchPlan {
  const plan: BatchPlan = { outcomes: [], blocks: [], rows: [], superseded: [], deletions: [], restored: [] };
  for (const change of changes) {
    const stored = locked.get(keyText(change));
    assertExpected(change, stored);
    plan.outcomes.push(
      change.delete ? planDeletion(plan, change, stored, at) : planUpsert(keys, plan, change, stored, at, returnJson),
    );
  }
  packEntries(keys, plan, at);
  return plan;
}

function assertExpected(change: Change, stored: LockedVersion | undefined): void {
  const actual = stored && !stored.deleted ? stored.version : undefined;
  if (change.expectedVersion !== undefined && change.expectedVersion !== (actual ?? MUST_NOT_EXIST)) {
    throw new VersionConflictError(change.typeCode, change.id, change.expectedVersion, actual);
  }
}

function planUpsert(
  keys: RecordKeys,
  plan: BatchPlan,
  change: Upsert,
  stored: LockedVersion | undefined,
  at: number,
  returnJson: boolean,
): ChangeOutcome {
  const { typeCode, id } = change;
  const sourceHash = sourceHashOf(keys, change.source, stored?.sourceHash ?? null);
  if (stored && !stored.deleted) {
    if (isUnchanged(change, stored, sourceHash))
      return { typeCode, id, outcome: 'unchanged', version: stored.version, lastUpdated: stored.lastUpdated };
    plan.superseded.push(stored);
  } else if (stored) {
    plan.restored.push(stored);
  }
  const version = (stored?.version ?? 0) + 1;
  const json = Buffer.from(renderEntry(typeCode, { id, version, lastUpdated: at }, change.body), 'utf8');
  plan.rows.push({ typeCode, id, version, sourceHash, index: change.index, json, blockId: 0n, slot: 0 });
  return {
    typeCode,
    id,
    outcome: stored && !stored.deleted ? 'updated' : 'created',
    version,
    lastUpdated: at,
    ...(returnJson ? { json } : {}),
  };
}

function isUnchanged(change: Upsert, stored: LockedVersion, sourceHash: bigint | null): boolean {
  return typeof change.source !== 'symbol' && sourceHash !== null && sourceHash === stored.sourceHash;
}

function planDeletion(
  plan: BatchPlan,
  { typeCode, id }: Deletion,
  stored: LockedVersion | undefined,
  at: number,
): ChangeOutcome {
  if (!stored || stored.deleted)
    return { typeCode, id, outcome: 'absent', version: stored?.version ?? 0, lastUpdated: stored?.lastUpdated ?? 0 };
  plan.superseded.push(stored);
  plan.deletions.push({ typeCode, id, version: stored.version + 1 });
  return { typeCode, id, outcome: 'deleted', version: stored.version + 1, lastUpdated: at };
}

/** Seals the new entries, one type code at a time, and sets the location of each row. */
function packEntries(keys: RecordKeys, plan: BatchPlan, at: number): void {
  const rowsByTypeCode = new Map<TypeCode, PlannedRow[]>();
  for (const row of plan.rows) {
    const rows = rowsByTypeCode.get(row.typeCode);
    if (rows) rows.push(row);
    else rowsByTypeCode.set(row.typeCode, [row]);
  }
  for (const [typeCode, all] of rowsByTypeCode)
    for (const rows of divideIntoBlocks(all, ({ json }) => json)) {
      const block = sealBlock(
        keys,
        typeCode,
        rows.map(({ json }) => json),
        at + Math.floor(plan.blocks.length / BLOCKS_PER_TIME),
      );
      plan.blocks.push(block);
      rows.forEach((row, slot) => Object.assign(row, { blockId: block.blockId, slot }));
    }
}
