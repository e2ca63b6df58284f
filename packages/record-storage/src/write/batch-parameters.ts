import type { SealedBlock } from '../blocks/block-packing';
import { blindValues } from '../index-values/blinding';
import { flatIndexParameters } from '../index-values/flat-index';
import type { RecordKeys } from '../keys/record-keys';
import {
  bigintArray,
  byteaArray,
  integerArray,
  smallintArray,
  uuidArray,
  wholeNumberArray,
} from '../postgres/binary-arrays';
import type { Row } from '../postgres/statement';
import { versionOf } from '../read/stored-version';
import type { ResourceKey } from '../resource-key';
import type { LockedVersion, PlannedRow } from './batch-plan';

/* The parameters of the statements in batch-write.ts, as arrays in the binary format, and the rows that they return. */

/**
 * Rows are inserted in the order of the primary key: PostgreSQL then fills the pages of the index instead of leaving a
 * third of each empty.
 */
export function rowParameters(keys: RecordKeys, plannedRows: readonly PlannedRow[]): unknown[] {
  const rows = plannedRows.toSorted((a, b) => a.typeCode - b.typeCode || (a.id < b.id ? -1 : 1));
  return [
    smallintArray(rows.map((row) => row.typeCode)),
    uuidArray(rows.map((row) => row.id)),
    integerArray(rows.map((row) => row.version)),
    bigintArray(rows.map((row) => row.blockId)),
    smallintArray(rows.map((row) => row.slot)),
    bigintArray(rows.map((row) => row.sourceHash)),
    ...flatIndexParameters(rows.map((row) => blindValues(keys, row.index))),
  ];
}

/** Placeholders $3 to $7 of `batch-write`. */
export function blockParameters(blocks: readonly SealedBlock[]): unknown[] {
  return [
    smallintArray(blocks.map((block) => block.typeCode)),
    bigintArray(blocks.map((block) => block.blockId)),
    smallintArray(blocks.map((block) => block.entries)),
    integerArray(blocks.map((block) => block.plainBytes)),
    byteaArray(blocks.map((block) => block.content)),
  ];
}

/** Placeholders $3 to $5 of `batch-delete` and `batch-restore`, and the first of `batch-supersede`. */
export function versionParameters(versions: readonly (ResourceKey & { readonly version: number })[]): unknown[] {
  return [
    smallintArray(versions.map((each) => each.typeCode)),
    uuidArray(versions.map((each) => each.id)),
    integerArray(versions.map((each) => each.version)),
  ];
}

/** Placeholders $3 to $8 of `batch-supersede`. */
export function supersededParameters(locked: readonly LockedVersion[]): unknown[] {
  return [
    ...versionParameters(locked),
    wholeNumberArray(locked.map((version) => version.lastUpdated)),
    bigintArray(locked.map((version) => version.blockId)),
    smallintArray(locked.map((version) => version.slot as number)),
  ];
}

/** A row of `batch-lock`. */
export function currentVersion(row: Row): LockedVersion {
  return {
    ...versionOf(row),
    deleted: false,
    sourceHash: optionalBigint(row[4]),
    blockId: optionalBigint(row[5]),
    slot: row[6] as number,
  };
}

/**
 * A row of `batch-deletions`.
 * @throws Error if there is no current version and the history does not end in a deletion: no version may follow
 */
export function deletedVersion(row: Row): LockedVersion {
  if (!row[4]) throw new Error('a resource without current version has a history that does not end in a deletion');
  return { ...versionOf(row), deleted: true, sourceHash: null, blockId: null, slot: null };
}

function optionalBigint(value: Row[number] | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(value as string);
}
