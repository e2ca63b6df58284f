import { type BlockContent, packContent, readContent, unpackLines } from '../blocks/block-content';
import { joinLines } from '../blocks/block-packing';
import { crc32OfBoth } from '../blocks/crc32';

/** How the lines of an export become the bytes of a download. */
export interface Output {
  start(): Buffer;
  /** A block that goes out with all its lines. */
  block(content: BlockContent): Buffer;
  /** Single lines. */
  lines(lines: readonly Buffer[]): Buffer;
  end(): Buffer;
}

const NOTHING = Buffer.alloc(0);

/** NDJSON as it is. */
export class PlainOutput implements Output {
  start(): Buffer {
    return NOTHING;
  }
  block(content: BlockContent): Buffer {
    return unpackLines(content);
  }
  lines(lines: readonly Buffer[]): Buffer {
    return joinLines(lines);
  }
  end(): Buffer {
    return NOTHING;
  }
}

const GZIP_HEADER = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** An empty last block, which ends the deflate stream. */
const LAST_BLOCK = Buffer.of(0x03, 0x00);

/** NDJSON as one gzip member, put together from the blocks' deflate segments as they are stored. */
export class GzipOutput implements Output {
  private checksum = 0;
  private length = 0;

  start(): Buffer {
    return GZIP_HEADER;
  }

  block(content: BlockContent): Buffer {
    this.checksum = crc32OfBoth(this.checksum, content.checksum, content.plainLength);
    this.length = (this.length + content.plainLength) % 0x1_0000_0000;
    return content.segment;
  }

  lines(lines: readonly Buffer[]): Buffer {
    return lines.length === 0 ? NOTHING : this.block(readContent(packContent(joinLines(lines))));
  }

  end(): Buffer {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.checksum, 0);
    trailer.writeUInt32LE(this.length, 4);
    return Buffer.concat([LAST_BLOCK, trailer]);
  }
}
