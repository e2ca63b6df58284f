import { SEAL_OVERHEAD } from '@tributary/key-vault';
import { LRUCache } from 'lru-cache';
import type { RecordKeys } from '../keys/record-keys';
import type { Kind } from '../kinds';
import { openBlock } from './open-block';

/** Bytes of lines that are kept. */
const MOST_BYTES = 64_000_000;
const KEPT_MS = 60_000;

interface OpenedBlock {
  /** Nonce and tag, which no two sealed contents share. */
  readonly seal: Buffer;
  readonly lines: Buffer;
}

/**
 * Opens blocks, and keeps what it opened for a minute: whoever reads a record reads the same blocks again and again, the next
 * page and the next type, and to decrypt and unpack one costs more than to find the rows in it.
 */
export class OpenedBlocks {
  private readonly opened = new LRUCache<string, OpenedBlock>({ maxSize: MOST_BYTES, sizeCalculation: ({ lines }) => lines.length + 1, ttl: KEPT_MS });

  /** The lines of a sealed block; not to be written to. @throws UnsealingError */
  lines(keys: RecordKeys, kind: Kind, blockId: string, sealed: Buffer): Buffer {
    const place = `${keys.userId}/${kind}/${blockId}`;
    const seal = sealed.subarray(0, SEAL_OVERHEAD);
    const known = this.opened.get(place);
    if (known?.seal.equals(seal)) return known.lines;
    const lines = openBlock(keys, kind, BigInt(blockId), sealed);
    this.opened.set(place, { seal: Buffer.from(seal), lines });
    return lines;
  }

  /** Forgets the blocks of a record. */
  forget(userId: number): void {
    for (const place of this.opened.keys()) {
      if (place.startsWith(`${userId}/`)) this.opened.delete(place);
    }
  }
}
