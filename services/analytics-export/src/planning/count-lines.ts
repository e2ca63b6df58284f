import { type ExportFile, type ExportedRecords, fileLines } from '@tributary/record-storage';
import type { UserLineFilter } from '../filters/line-filter';

/**
 * Counts the lines of a stored file that pass a filter, by reading all of them.
 * @param prepare is awaited before the lines of a user
 */
export async function countLines(
  records: ExportedRecords,
  file: ExportFile,
  filter: UserLineFilter,
  prepare?: (userId: number) => Promise<void>,
): Promise<number> {
  let count = 0;
  for await (const { position, lines } of fileLines(records, file)) {
    await prepare?.(position.userId);
    for (const line of lines) if (filter(line, position.userId)) count++;
  }
  return count;
}
