import type { ExportFile, RecordExport } from '@tributary/record-storage';
import type { LineFilter } from '../filters/line-filter';

/** How many lines of a stored file a filter leaves, found by looking at each. */
export async function countLines(reader: RecordExport, file: ExportFile, filter: LineFilter): Promise<number> {
  let count = 0;
  for await (const { lines } of reader.fileLines(file)) for (const line of lines) if (filter(line)) count++;
  return count;
}
