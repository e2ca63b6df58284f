import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { RecordExport } from '@tributary/record-storage';
import { deletionBundles } from './deletion-bundles';
import type { FileDescription } from './file-description';

export type Encoding = 'identity' | 'gzip';

/** The bytes of a file, the same each time. @throws SnapshotGoneError when they are no longer stored */
export function fileBytes(reader: RecordExport, description: FileDescription, encoding: Encoding): AsyncIterable<Buffer> {
  if (description.of === 'resources') return reader.streamFile(description.file, { encoding });
  const bundles = deletionBundles(reader, description);
  return encoding === 'gzip' ? gzipped(bundles) : bundles;
}

async function* gzipped(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip();
  // A fault of the lines destroys the stream that is read here, and comes out there.
  const filling = pipeline(lines, gzip).catch(() => undefined);
  try {
    for await (const piece of gzip) yield piece as Buffer;
  } finally {
    gzip.destroy();
    await filling;
  }
}
