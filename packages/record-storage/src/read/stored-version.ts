import { entryAt } from '../blocks/block-content';
import { assertEntryIs } from '../blocks/entry';
import { type ReadBudget, openBlock } from '../blocks/block-packing';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import type { Row } from '../postgres/statement';
import type { ResourceVersion } from '../resource-key';
import { type BlocksOfRecord, blockKey } from './opened-blocks';

/** A stored version of a resource, or a deletion. */
export interface StoredVersion extends ResourceVersion {
  readonly deleted: boolean;
  /** The resource as JSON in UTF-8, without line breaks; undefined for a deletion. */
  readonly json: Buffer | undefined;
}

/**
 * The entries that rows refer to. Several rows may refer to one block: the result of a statement contains its content
 * once, and it is decrypted once.
 */
export class BlockEntries {
  /** The blocks that were added. */
  readonly opened = new Map<string, Buffer>();

  /**
   * @param known blocks that need not be added
   * @param budget of the blocks that are added
   */
  constructor(
    private readonly keys: RecordKeys,
    private readonly known?: BlocksOfRecord,
    private readonly budget?: ReadBudget,
  ) {}

  /** Adds the content of a block. @throws UnsealingError if it cannot be decrypted */
  add(typeCode: TypeCode, blockId: string, content: Buffer): void {
    this.opened.set(blockKey(typeCode, blockId), openBlock(this.keys, typeCode, BigInt(blockId), content, this.budget));
  }

  /** The entry of a version. @throws UnsealingError if the slot holds another version */
  entry(typeCode: TypeCode, id: string, version: number, blockId: string, slot: number): Buffer {
    const key = blockKey(typeCode, blockId);
    const block = this.opened.get(key) ?? this.known?.get(key);
    const entry = block && entryAt(block, slot);
    if (!entry) throw new Error('an index row refers to an entry that is not stored');
    assertEntryIs(typeCode, id, version, entry);
    return entry;
  }
}

/** The version of a row that begins with the columns type_code, id, version, last_updated. */
export function versionOf([typeCode, id, version, lastUpdated]: Row): ResourceVersion {
  return {
    typeCode: typeCode as TypeCode,
    id: id as string,
    version: version as number,
    lastUpdated: Number(lastUpdated),
  };
}

/**
 * The statements of reads, searches and the history begin with these columns: type_code, id, version, last_updated,
 * deleted, block_id, slot, content.
 */
export const versionColumnCount = 8;

/**
 * SQL for the content of the block of a row of this table, null in all rows of a block but one: a block of 100 entries
 * is sent once, and the subquery runs once. The user is $1.
 * @param known placeholder of the ids of blocks whose content is left out
 */
export function contentOncePerBlock(table: string, known?: string): string {
  const isWanted = known === undefined ? '' : ` AND ${table}.block_id <> ALL (${known})`;
  return `CASE WHEN row_number() OVER (PARTITION BY ${table}.type_code, ${table}.block_id) = 1${isWanted} THEN (
      SELECT b.content FROM fhir_store.block b WHERE b.user_id = $1 AND b.type_code = ${table}.type_code AND b.block_id = ${table}.block_id
    ) END AS content`;
}

/**
 * The versions of rows with the columns above. Their blocks are cached in `keys.openedBlocks`.
 * @param known the blocks whose content the statement has left out
 * @param budget what the caller may still unpack
 * @returns the versions in the order of the rows
 * @throws UnsealingError if a block cannot be decrypted or holds another version at a slot
 */
export function readVersions(
  keys: RecordKeys,
  rows: readonly Row[],
  { known, budget }: { known?: BlocksOfRecord; budget?: ReadBudget | undefined } = {},
): StoredVersion[] {
  const entries = new BlockEntries(keys, known, budget);
  for (const row of rows) {
    if (row[7] !== null) entries.add(row[0] as TypeCode, row[5] as string, row[7] as Buffer);
  }
  const versions = rows.map((row) => {
    const stored = versionOf(row);
    const { typeCode, id, version } = stored;
    const deleted = row[4] as boolean;
    const json = deleted ? undefined : entries.entry(typeCode, id, version, row[5] as string, row[6] as number);
    return { ...stored, deleted, json };
  });
  keys.openedBlocks?.add(keys.userId, entries.opened);
  return versions;
}
