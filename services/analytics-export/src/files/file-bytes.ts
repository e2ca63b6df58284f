import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { RecordExport } from '@tributary/record-storage';
import { convertingFilter } from '../conversion/convert-lines';
import { isConverted } from '../conversion/converted-files';
import { issueLine } from '../filters/issue-line';
import { lineFilter } from '../filters/line-filter';
import type { LineSelection } from '../filters/line-selection';
import { deletionBundles } from './deletion-bundles';
import type { DeletionFile, FileDescription, IssueFile } from './file-description';

export type Encoding = 'identity' | 'gzip';

/**
 * The bytes of a file, the same each time.
 * @param selection of the lines of a file of resources
 * @throws SnapshotGoneError when they are no longer stored
 */
export function fileBytes(
  reader: RecordExport,
  description: FileDescription,
  selection: LineSelection,
  encoding: Encoding,
): AsyncIterable<Buffer> {
  if (description.of === 'resources') {
    const { file } = description;
    if (isConverted(description))
      return reader.streamFile(
        { ...file, typeCode: description.source },
        { encoding, filter: convertingFilter(description.source, selection, file.at) },
      );
    const filter = lineFilter(file.typeCode, selection, file.at);
    return reader.streamFile(file, { encoding, ...(filter ? { filter } : {}) });
  }
  const lines = writtenLines(reader, description);
  return encoding === 'gzip' ? gzipped(lines) : lines;
}

async function* writtenLines(reader: RecordExport, description: DeletionFile | IssueFile): AsyncGenerator<Buffer> {
  if (description.of === 'deletions') yield* deletionBundles(reader, description);
  else yield issueLine(description);
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
