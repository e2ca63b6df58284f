import type { ExportFile, RecordExport } from '@tributary/record-storage';
import type { LineFilter } from '../filters/line-filter';

/** How many lines of a stored file a filter leaves, found by looking at each. */
export async function countLines(reader: RecordExport, file: ExportFile, filter: LineFilter): Promise<number> {
  let count = 0;
  // Every line is handed on, so that the reader pauses between pieces as in a download.
  const counting = (line: Buffer): Buffer => {
    if (filter(line)) count++;
    return line;
  };
  const pieces = reader.streamFile(file, { encoding: 'identity', filter: counting })[Symbol.asyncIterator]();
  while (!(await pieces.next()).done);
  return count;
}
