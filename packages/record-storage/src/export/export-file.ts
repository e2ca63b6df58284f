import type { TypeCode } from '../type-codes';

/** Whose resources: one user's, or those of all users of a client. */
export type ExportScope = { readonly userId: number } | { readonly clientId: string };

/** What an export holds. */
export interface ExportSelection {
  readonly scope: ExportScope;
  /** The snapshot: what was the latest at this time (exclusive), from `snapshotTime`. */
  readonly at: number;
  /** Only what was written after this time. */
  readonly since?: number;
  /** Only these kinds; all by default. */
  readonly typeCodes?: readonly TypeCode[];
}

/** A place among the blocks of an export, in their order by user and block. The block's number is a text: it has 63 bits. */
export interface BlockPosition {
  readonly userId: number;
  readonly blockId: string;
}

/**
 * One file of an export, described: of one kind, the blocks from one place to another, both included. JSON-able. The
 * description is all there is; the bytes are made when they are asked for, and are the same each time.
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
