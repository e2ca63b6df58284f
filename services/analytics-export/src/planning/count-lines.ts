import type { ExportFile, RecordExport } from '@tributary/record-storage';
import type { UserLineFilter } from '../filters/line-filter';

/**
 * How many lines of a stored file a filter leaves, found by looking at each.
 * @param prepare is awaited before the lines of a user
 */
export async function countLines(
  reader: RecordExport,
  file: ExportFile,
  filter: UserLineFilter,
  prepare?: (userId: number) => Promise<void>,
): Promise<number> {
  let count = 0;
  for await (const { position, lines } of reader.fileLines(file)) {
    await prepare?.(position.userId);
    for (const line of lines) if (filter(line, position.userId)) count++;
  }
  return count;
}
