import type { BlockContent } from '../blocks/block-content';
import { crc32OfBoth } from '../blocks/crc32';

const HEADER = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** An empty last block, which ends the deflate stream. */
const LAST_BLOCK = Buffer.of(0x03, 0x00);

/** The frame around deflate segments that makes them one gzip member. */
export class GzipMember {
  private checksum = 0;
  private length = 0;

  /** The gzip header. */
  start(): Buffer {
    return HEADER;
  }

  /** Adds a segment to the checksum and length. */
  add(content: BlockContent): void {
    this.checksum = crc32OfBoth(this.checksum, content.checksum, content.plainLength);
    this.length = (this.length + content.plainLength) % 0x1_0000_0000;
  }

  /** The last deflate block and the trailer. */
  end(): Buffer {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.checksum, 0);
    trailer.writeUInt32LE(this.length, 4);
    return Buffer.concat([LAST_BLOCK, trailer]);
  }
}
