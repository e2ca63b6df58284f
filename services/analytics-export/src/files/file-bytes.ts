import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type RecordExport, releaseOfCode } from '@tributary/record-storage';
import { convertingFilter } from '../conversion/convert-lines';
import { issueLine } from '../filters/issue-line';
import { lineFilter } from '../filters/line-filter';
import type { LineSelection } from '../filters/line-selection';
import { NewestRelease } from '../filters/newest-release';
import { deletionBundles } from './deletion-bundles';
import type { ManifestFile } from './manifest-file';

export type Encoding = 'identity' | 'gzip';

/**
 * The bytes of a file, the same for every download.
 * @param selection filters the lines of a file of resources
 * @throws SnapshotGoneError when the storage no longer keeps the snapshot
 */
export function fileBytes(
  reader: RecordExport,
  manifestFile: ManifestFile,
  selection: LineSelection,
  encoding: Encoding,
): AsyncIterable<Buffer> {
  if (manifestFile.of === 'resources') {
    const { file, convertedFrom } = manifestFile;
    const newest =
      convertedFrom !== undefined && selection.releasePerSource
        ? new NewestRelease(reader, releaseOfCode(convertedFrom), file.at)
        : undefined;
    const filter =
      convertedFrom === undefined
        ? lineFilter(file.typeCode, selection, file.at)
        : convertingFilter(convertedFrom, selection, file.at, newest);
    return reader.streamFile(
      { ...file, typeCode: convertedFrom ?? file.typeCode },
      { encoding, prepare: newest?.prepare, ...(filter ? { filter } : {}) },
    );
  }
  const lines = manifestFile.of === 'deletions' ? deletionBundles(reader, manifestFile) : [issueLine(manifestFile)];
  return encoding === 'gzip' ? gzipped(lines) : asStream(lines);
}

async function* asStream(lines: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* lines;
}

async function* gzipped(lines: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip();
  // When the lines throw, `pipeline` destroys gzip with the error, and the loop below throws it.
  const filling = pipeline(lines, gzip).catch(() => undefined);
  try {
    for await (const piece of gzip) yield piece as Buffer;
  } finally {
    gzip.destroy();
    await filling;
  }
}
