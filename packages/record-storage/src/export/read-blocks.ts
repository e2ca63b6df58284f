import { type BlockContent, readContent } from '../blocks/block-content';
import type { RecordKeyStore } from '../keys/record-key-store';
import type { RecordKeys } from '../keys/record-keys';
import { copyRows } from '../postgres/copy-rows';
import { withConnection } from '../postgres/statement';
import type { ExportedRecords } from './exported-records';
import type { ListedBlock } from './listed-block';

/**
 * Blocks of the snapshot have been purged: they are kept for a day after compaction replaced them, and this export is
 * older.
 */
export class SnapshotGoneError extends Error {
  override readonly name = 'SnapshotGoneError';
  constructor() {
    super('blocks of this snapshot are no longer stored');
  }
}

/** A block with its decrypted content. */
export interface ReadBlock {
  readonly block: ListedBlock;
  readonly content: BlockContent;
}

/** The maximum of uncompressed bytes of a chunk of blocks. An export has at most two chunks in memory. */
const CHUNK_BYTES = 8_000_000;

/** Divides the list into chunks, each of which one statement reads. */
export function chunksOf(blocks: readonly ListedBlock[]): ListedBlock[][] {
  const chunks: ListedBlock[][] = [];
  let bytes = Infinity;
  for (const block of blocks) {
    if (bytes + block.plainBytes > CHUNK_BYTES) {
      chunks.push([]);
      bytes = 0;
    }
    (chunks.at(-1) as ListedBlock[]).push(block);
    bytes += block.plainBytes;
  }
  return chunks;
}

/** The encrypted contents of a chunk, in its order, and the keys to decrypt them. */
export interface SealedChunk {
  readonly blocks: readonly ListedBlock[];
  readonly contents: readonly (Buffer | undefined)[];
  readonly keys: ReadonlyMap<number, RecordKeys>;
}

/** Reads the contents of a chunk. The connection returns to the pool before a block is decrypted or sent. */
export async function readChunk(
  { pool, keyStore }: ExportedRecords,
  blocks: readonly ListedBlock[],
): Promise<SealedChunk> {
  const keys = await keyStore.findMany(usersOf(blocks));
  const rows = await withConnection(pool, (connection) => copyRows(connection, contentsOf(blocks)));
  const contents: (Buffer | undefined)[] = blocks.map(() => undefined);
  for (const [index, content] of rows) contents[(index as Buffer).readInt32BE(0) - 1] = content;
  const missing = usersOf(blocks.filter((_, i) => !contents[i]));
  return { blocks, contents, keys: missing.length > 0 ? await withoutDestroyed(keyStore, keys, missing) : keys };
}

/** Reads the records of missing blocks again: they may have been destroyed since their keys were read. */
async function withoutDestroyed(
  keyStore: RecordKeyStore,
  keys: ReadonlyMap<number, RecordKeys>,
  userIds: readonly number[],
): Promise<Map<number, RecordKeys>> {
  for (const userId of userIds) keyStore.forget(userId);
  const found = await keyStore.findMany(userIds);
  return new Map([...keys].filter(([userId]) => !userIds.includes(userId) || found.has(userId)));
}

function usersOf(blocks: readonly ListedBlock[]): number[] {
  return [...new Set(blocks.map((block) => block.userId))];
}

/**
 * Decrypts the blocks one by one, without those of a record that was destroyed in the meantime.
 * @throws SnapshotGoneError
 */
export function* openChunk({ blocks, contents, keys }: SealedChunk): Generator<ReadBlock> {
  for (const [i, block] of blocks.entries()) {
    const recordKeys = keys.get(block.userId);
    if (!recordKeys) continue;
    const sealed = contents[i];
    if (!sealed) throw new SnapshotGoneError();
    yield { block, content: readContent(recordKeys.openBlock(block.typeCode, BigInt(block.blockId), sealed)) };
  }
}

/**
 * Index in the list (from 1) and content of each block, in any order. A lateral subquery with LIMIT is not made part of
 * a join. As a join, PostgreSQL takes the user ids of all partitions for a few values and reads every block of every
 * partition.
 */
export function contentsOf(blocks: readonly ListedBlock[]): string {
  const users = blocks.map((block) => Math.trunc(block.userId)).join();
  const typeCodes = blocks.map((block) => Math.trunc(block.typeCode)).join();
  const ids = blocks.map((block) => BigInt(block.blockId)).join();
  return `
    SELECT w.ordinal::integer, b.content
    FROM unnest('{${users}}'::bigint[], '{${typeCodes}}'::smallint[], '{${ids}}'::bigint[]) WITH ORDINALITY AS w (user_id, type_code, block_id, ordinal)
    CROSS JOIN LATERAL (
      SELECT content FROM fhir_store.block WHERE user_id = w.user_id AND type_code = w.type_code AND block_id = w.block_id LIMIT 1
    ) b`;
}
