import { LRUCache } from 'lru-cache';
import { bigintArray } from '../postgres/binary-arrays';
import type { TypeCode } from '../type-codes';

/** How long the blocks of a record stay in memory that is not read, in milliseconds. */
const IDLE_MS = 60_000;
/** How often blocks that have been idle for too long are removed, in milliseconds. */
const PURGE_EVERY_MS = 30_000;
/** The maximum number of blocks of one record, and the maximum length of each in bytes. */
const MAX_BLOCKS = 64;
const MAX_BLOCK_BYTES = 131_072;
/** A shorter block is not compressed, so that reading it again costs no more than its look-up. In bytes. */
const MIN_BLOCK_BYTES = 1025;

/** Decrypted blocks of one record by `blockKey`, in the order of their addition. */
export type BlocksOfRecord = ReadonlyMap<string, Buffer>;

const none: BlocksOfRecord = new Map();

export function blockKey(typeCode: TypeCode, blockId: string): string {
  return `${typeCode}/${blockId}`;
}

/**
 * Decrypted blocks that were read within the last minutes. Clients read the resources of a record in bursts, and one
 * block contains up to 100 of them: most reads of a burst need neither the content from the database nor its decryption
 * and decompression.
 *
 * A block never changes, so that a cached one needs no invalidation. Which block a resource is in, and whether it
 * exists, is read from the database each time: an updated, deleted or destroyed resource refers to no cached block.
 */
export class OpenedBlocks {
  private readonly records: LRUCache<number, BlocksOfRecord> | undefined;

  /** @param maxBytes of all blocks together; with 0 nothing is cached */
  constructor(maxBytes: number, now?: () => number) {
    if (maxBytes === 0) return;
    const records = new LRUCache<number, BlocksOfRecord>({
      maxSize: maxBytes,
      sizeCalculation: (blocks) => [...blocks.values()].reduce((sum, block) => sum + block.length, 0),
      ttl: IDLE_MS,
      updateAgeOnGet: true,
      ...(now ? { perf: { now }, ttlResolution: 0 } : { ttlResolution: 1000 }),
    });
    this.records = records;
    // The timer does not keep a storage in memory that is no longer used.
    const reference = new WeakRef(records);
    const timer = setInterval(() => {
      const cache = reference.deref();
      if (cache) cache.purgeStale();
      else clearInterval(timer);
    }, PURGE_EVERY_MS).unref();
  }

  /** The blocks of a record. The map stays as it is while blocks are added and removed. */
  ofRecord(userId: number): BlocksOfRecord {
    return this.records?.get(userId) ?? none;
  }

  /** Adds blocks of a record in place of its oldest ones. */
  add(userId: number, opened: BlocksOfRecord): void {
    if (!this.records || opened.size === 0) return;
    const fitting = [...opened].filter(
      ([, block]) => block.length >= MIN_BLOCK_BYTES && block.length <= MAX_BLOCK_BYTES,
    );
    if (fitting.length === 0) return;
    const blocks = new Map([...this.ofRecord(userId), ...fitting].slice(-MAX_BLOCKS));
    this.records.set(userId, blocks);
  }

  /** Removes the blocks of a destroyed record. */
  forget(userId: number): void {
    this.records?.delete(userId);
  }
}

/** The record whose blocks are cached, as its keys name it. */
interface CachedRecord {
  readonly userId: number;
  readonly openedBlocks?: OpenedBlocks | undefined;
}

/** The cached blocks of the record that has these keys. */
export function knownBlocks({ userId, openedBlocks }: CachedRecord): BlocksOfRecord {
  return openedBlocks?.ofRecord(userId) ?? none;
}

const noIds = bigintArray([]);
/** What `idsOf` has returned for blocks, which stay as they are. */
const idsOfBlocks = new WeakMap<BlocksOfRecord, Map<TypeCode, Buffer>>();

/** The ids of the blocks of a type code, as `bigint[]`: a statement leaves their content out. */
export function idsOf(blocks: BlocksOfRecord, typeCode: TypeCode): Buffer {
  if (blocks.size === 0) return noIds;
  const known = idsOfBlocks.get(blocks) ?? new Map<TypeCode, Buffer>();
  const ids = known.get(typeCode) ?? idsAmong(blocks, typeCode);
  idsOfBlocks.set(blocks, known.set(typeCode, ids));
  return ids;
}

function idsAmong(blocks: BlocksOfRecord, typeCode: TypeCode): Buffer {
  const prefix = `${typeCode}/`;
  const ids: bigint[] = [];
  for (const key of blocks.keys()) if (key.startsWith(prefix)) ids.push(BigInt(key.slice(prefix.length)));
  return bigintArray(ids);
}
