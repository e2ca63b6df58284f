import type { TypeCode } from '../type-codes';

/** Whose resources: one user's, or those of all users of a client. */
export type ExportScope = { readonly userId: number } | { readonly clientId: string };

/** What an export holds. */
export interface ExportSelection {
  readonly scope: ExportScope;
  /**
   * The snapshot time from `snapshotTime`, exclusive, in epoch milliseconds: the export contains the versions that were
   * current then.
   */
  readonly at: number;
  /** Only versions with a commit timestamp after this time, in epoch milliseconds. */
  readonly since?: number;
  /** Default: all type codes. */
  readonly typeCodes?: readonly TypeCode[];
}

/**
 * The position of a block in an export, in the order of user and block. The block number is text, since it has 63 bits.
 */
export interface BlockPosition {
  readonly userId: number;
  readonly blockId: string;
}

/**
 * The description of one file of an export: the blocks of one type code from one position to another, both inclusive.
 * It can be serialized as JSON. Nothing else is stored; the bytes are made on each download, and are the same each
 * time.
 */
export interface ExportFile {
  readonly scope: ExportScope;
  readonly at: number;
  readonly since?: number;
  readonly typeCode: TypeCode;
  readonly from: BlockPosition;
  readonly to: BlockPosition;
  /** Resources in the file, exactly. */
  readonly count: number;
  /** Bytes of the file as NDJSON; a little more than it has when lines of its blocks are left out. */
  readonly bytes: number;
}
