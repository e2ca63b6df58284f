import type { Pool } from 'pg';
import { type BlockContent, readContent, splitEntries, unpackEntries } from '../blocks/block-content';
import { readMetadata } from '../blocks/entry';
import type { RecordKeyStore } from '../keys/record-key-store';
import type { RecordKeys } from '../keys/record-keys';
import { integerArray, smallintArray, uuidArray, wholeNumberArray } from '../postgres/binary-arrays';
import { copyRows } from '../postgres/copy-rows';
import { type Statement, run, withConnection } from '../postgres/statement';
import type { ExportSelection } from './export-file';
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
  /** Of its record. */
  readonly keys: RecordKeys;
  readonly content: BlockContent;
  /** The entries that are in the export; undefined if all are. */
  readonly visible: readonly Buffer[] | undefined;
}

/** The maximum of uncompressed bytes of a chunk of blocks. An export has at most two chunks in memory. */
const CHUNK_BYTES = 8_000_000;

/**
 * Which of these versions were superseded before a time. $1 users, $2 type codes, $3 ids, $4 versions, $5 time.
 * The row is found by resource and version, whichever block a compaction has moved the entry to.
 */
const supersededBefore: Statement = {
  name: 'export-superseded',
  text: `
    SELECT w.ordinal::integer
    FROM unnest($1::bigint[], $2::smallint[], $3::uuid[], $4::integer[]) WITH ORDINALITY AS w (user_id, type_code, id, version, ordinal)
    CROSS JOIN LATERAL (
      SELECT superseded_at FROM fhir_store.resource_history
      WHERE user_id = w.user_id AND type_code = w.type_code AND id = w.id AND version = w.version LIMIT 1
    ) v
    WHERE v.superseded_at < $5`,
};

/**
 * The blocks in their order, decrypted, some at a time, without those of a record that was destroyed in the meantime.
 * While they are used, the next chunk is being read, and no more: a slow reader holds two chunks of memory and no
 * connection.
 * @throws SnapshotGoneError, UnsealingError
 */
export async function* readBlocks(
  records: ExportedRecords,
  blocks: readonly ListedBlock[],
  selection: Pick<ExportSelection, 'at' | 'since'>,
): AsyncGenerator<ReadBlock[]> {
  const chunks = chunksOf(blocks);
  const read = (chunk: ListedBlock[] | undefined): ReturnType<typeof readChunk> | undefined => {
    const reading = chunk && readChunk(records, chunk);
    // If the caller stops before this chunk is requested, its rejection would be unhandled.
    reading?.catch(() => undefined);
    return reading;
  };
  let next = read(chunks[0]);
  for (let i = 1; next; i++) {
    const chunk = await next;
    next = read(chunks[i]);
    yield await withVisibleEntries(records.pool, openChunk(chunk), selection);
  }
}

/** Divides the list into chunks, each of which one statement reads. */
function chunksOf(blocks: readonly ListedBlock[]): ListedBlock[][] {
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
interface SealedChunk {
  readonly blocks: readonly ListedBlock[];
  readonly contents: readonly (Buffer | undefined)[];
  readonly keys: ReadonlyMap<number, RecordKeys>;
}

/** Reads the contents of a chunk. The connection returns to the pool before a block is decrypted or sent. */
async function readChunk({ pool, keyStore }: ExportedRecords, blocks: readonly ListedBlock[]): Promise<SealedChunk> {
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

/** @throws SnapshotGoneError, UnsealingError */
function openChunk({ blocks, contents, keys }: SealedChunk): Omit<ReadBlock, 'visible'>[] {
  const opened: Omit<ReadBlock, 'visible'>[] = [];
  for (const [i, block] of blocks.entries()) {
    const recordKeys = keys.get(block.userId);
    if (!recordKeys) continue;
    const sealed = contents[i];
    if (!sealed) throw new SnapshotGoneError();
    opened.push({
      block,
      keys: recordKeys,
      content: readContent(recordKeys.openBlock(block.typeCode, BigInt(block.blockId), sealed)),
    });
  }
  return opened;
}

/** Adds the visible entries of blocks that are partly in an export: current at `at`, and written after `since`. */
async function withVisibleEntries(
  pool: Pool,
  blocks: readonly Omit<ReadBlock, 'visible'>[],
  { at, since = -Infinity }: Pick<ExportSelection, 'at' | 'since'>,
): Promise<ReadBlock[]> {
  const candidates = blocks
    .filter(({ block }) => !block.isComplete)
    .flatMap(({ block, content }) =>
      splitEntries(unpackEntries(content)).map((entry) => ({ ...readMetadata(block.typeCode, entry), block, entry })),
    )
    .filter(({ lastUpdated }) => lastUpdated > since);
  const superseded = new Set<unknown>();
  if (candidates.length > 0) {
    const rows = await run(pool, supersededBefore, [
      wholeNumberArray(candidates.map(({ block }) => block.userId)),
      smallintArray(candidates.map(({ block }) => block.typeCode)),
      uuidArray(candidates.map(({ id }) => id)),
      integerArray(candidates.map(({ version }) => version)),
      at,
    ]);
    for (const [index] of rows) superseded.add(index);
  }
  const visible = new Map<ListedBlock, Buffer[]>();
  for (const { block } of blocks) if (!block.isComplete) visible.set(block, []);
  candidates.forEach(({ block, entry }, i) => {
    if (!superseded.has(i + 1)) visible.get(block)?.push(entry);
  });
  return blocks.map((each) => ({ ...each, visible: visible.get(each.block) }));
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
