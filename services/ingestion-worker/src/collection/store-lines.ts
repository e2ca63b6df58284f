import type { ResourceOutcome } from '@tributary/contracts';

const mostLines = 500;
const mostBytes = 8_000_000;

/** Sends lines to the store in batches that it takes in one go. The outcomes come in the order of the lines. */
export async function storeInBatches(
  lines: readonly string[],
  storeBatch: (ndjson: string) => Promise<ResourceOutcome[]>,
): Promise<ResourceOutcome[]> {
  const outcomes: ResourceOutcome[] = [];
  for (const batch of batchesOf(lines)) {
    const stored = await storeBatch(`${batch.join('\n')}\n`);
    if (stored.length !== batch.length)
      throw new Error(`the store told the outcomes of ${stored.length} lines out of ${batch.length}`);
    outcomes.push(...stored);
  }
  return outcomes;
}

/** A line that is larger than a batch is one by itself. */
export function batchesOf(lines: readonly string[]): string[][] {
  const batches: string[][] = [];
  let bytes = 0;
  for (const line of lines) {
    const last = batches.at(-1);
    if (last && last.length < mostLines && bytes + line.length <= mostBytes) {
      last.push(line);
      bytes += line.length;
    } else {
      batches.push([line]);
      bytes = line.length;
    }
  }
  return batches;
}
