import type { BlockContent } from '../blocks/block-content';
import { crc32OfBoth } from '../blocks/crc32';

const HEADER = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
/** An empty last block, which ends the deflate stream. */
const LAST_BLOCK = Buffer.of(0x03, 0x00);

/** The deflate segments of blocks as one gzip member. */
export async function* gzipMember(contents: AsyncIterable<BlockContent[]>): AsyncGenerator<Buffer> {
  let [checksum, length] = [0, 0];
  yield HEADER;
  for await (const some of contents) {
    for (const content of some) {
      checksum = crc32OfBoth(checksum, content.checksum, content.plainLength);
      length = (length + content.plainLength) % 0x1_0000_0000;
    }
    yield Buffer.concat(some.map(({ segment }) => segment));
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(length, 4);
  yield Buffer.concat([LAST_BLOCK, trailer]);
}
