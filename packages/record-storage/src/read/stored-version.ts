import { entryAt } from '../blocks/block-content';
import { assertEntryIs } from '../blocks/entry';
import { openBlock } from '../blocks/block-packing';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import type { Row } from '../postgres/statement';

/** A version of a resource as it is stored. */
export interface StoredVersion {
  readonly typeCode: TypeCode;
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  readonly deleted: boolean;
  /** The line, without line break; undefined for a deletion. */
  readonly json: Buffer | undefined;
}

/**
 * Reads the lines that rows point to. Several rows may point into one block; the answer of the database has its content
 * once, and it is opened once.
 */
export class BlockEntries {
  private readonly blocks = new Map<string, Buffer>();

  constructor(private readonly keys: RecordKeys) {}

  /** Takes the content of a block when it comes. */
  add(typeCode: TypeCode, blockId: string, content: Buffer): void {
    this.blocks.set(`${typeCode}/${blockId}`, openBlock(this.keys, typeCode, BigInt(blockId), content));
  }

  /** The line of this very version. @throws UnsealingError when what lies there is another's */
  entry(typeCode: TypeCode, id: string, version: number, blockId: string, slot: number): Buffer {
    const block = this.blocks.get(`${typeCode}/${blockId}`);
    const entry = block && entryAt(block, slot);
    if (!entry) throw new Error('an index row points to a line that is not stored');
    assertEntryIs(typeCode, id, version, entry);
    return entry;
  }
}

/** Statements of the read side begin with kind, id, version, last_updated, deleted, block_id, slot, content: so many columns. */
export const versionColumnCount = 8;

/**
 * The content of the block of a row of this table, in one of the rows of each block. A block of a hundred lines must not come
 * a hundred times; and the subquery runs only for the row that gives it. The user is $1.
 */
export function contentOncePerBlock(table: string): string {
  return `CASE WHEN row_number() OVER (PARTITION BY ${table}.type_code, ${table}.block_id) = 1 THEN (
      SELECT b.content FROM fhir_store.block b WHERE b.user_id = $1 AND b.type_code = ${table}.type_code AND b.block_id = ${table}.block_id
    ) END AS content`;
}

/**
 * The versions that rows tell; content stands in one row of each block.
 * @returns the versions in the order of the rows
 */
export function readVersions(keys: RecordKeys, rows: readonly Row[]): StoredVersion[] {
  const entries = new BlockEntries(keys);
  for (const row of rows) {
    if (row[7] !== null) entries.add(row[0] as TypeCode, row[5] as string, row[7] as Buffer);
  }
  return rows.map(([typeCode, id, version, lastUpdated, deleted, blockId, slot]) => ({
    typeCode: typeCode as TypeCode,
    id: id as string,
    version: version as number,
    lastUpdated: Number(lastUpdated),
    deleted: deleted as boolean,
    json: deleted
      ? undefined
      : entries.entry(typeCode as TypeCode, id as string, version as number, blockId as string, slot as number),
  }));
}
