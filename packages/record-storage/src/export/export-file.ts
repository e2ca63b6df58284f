import type { TypeCode } from '../type-codes';

/** The records of an export: that of one user, or those of all users of a client. */
export type ExportScope = { readonly userId: number } | { readonly clientId: string };

/** The resources of an export. */
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
 * The position of a block in an export, in the order of user and block. The block id is text, since it has 63 bits.
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
  /** The exact number of resources in the file. */
  readonly count: number;
  /** The size of the file as NDJSON, in bytes: an upper bound if some entries of its blocks are not in the export. */
  readonly bytes: number;
}
