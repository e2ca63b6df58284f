import type { ResourceOutcome } from '@tributary/contracts';

const maxBatchResources = 500;
const maxBatchBytes = 8_000_000;

/**
 * Sends resources to fhir-store in batches of at most 500 resources and 8 MB; a larger resource is a batch by itself.
 * @param resources the JSON of each resource
 * @param storeBatch sends one batch as NDJSON
 * @returns one outcome per resource, in the same order
 * @throws when a batch has another number of outcomes than resources; otherwise what `storeBatch` throws
 */
export async function storeInBatches(
  resources: readonly string[],
  storeBatch: (ndjson: string) => Promise<ResourceOutcome[]>,
): Promise<ResourceOutcome[]> {
  const outcomes: ResourceOutcome[] = [];
  for (const batch of batchesOf(resources)) {
    const stored = await storeBatch(`${batch.join('\n')}\n`);
    if (stored.length !== batch.length)
      throw new Error(`fhir-store responded with ${stored.length} outcomes for ${batch.length} resources`);
    outcomes.push(...stored);
  }
  return outcomes;
}

export function batchesOf(resources: readonly string[]): string[][] {
  const batches: string[][] = [];
  let bytes = 0;
  for (const json of resources) {
    const last = batches.at(-1);
    if (last && last.length < maxBatchResources && bytes + json.length <= maxBatchBytes) {
      last.push(json);
      bytes += json.length;
    } else {
      batches.push([json]);
      bytes = json.length;
    }
  }
  return batches;
}
