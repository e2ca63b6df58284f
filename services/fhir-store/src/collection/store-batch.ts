import type { ResourceOutcome } from '@tributary/contracts';
import { type UserRecord, keyText } from '@tributary/record-storage';
import type { Pool } from 'pg';
import { UnresolvedReferences } from './unresolved-references';
import { type CollectedResource, UnusableLine, readCollected } from './collected-resource';
import type { CollectionSource } from './collection-source';

/** Resources that one transaction writes. */
const maxWritten = 500;

/**
 * Stores the lines of a batch and records the references whose targets are missing. A line that cannot be stored does
 * not affect the others. Of several lines with the same resource, the last one is stored.
 * @returns the outcome of each line, in the order of the lines
 */
export async function storeBatch(
  record: UserRecord,
  pool: Pool,
  source: CollectionSource,
  lines: readonly string[],
): Promise<ResourceOutcome[]> {
  const outcomes: ResourceOutcome[] = [];
  for (let from = 0; from < lines.length; from += maxWritten) {
    outcomes.push(...(await storeLines(record, pool, source, lines.slice(from, from + maxWritten))));
  }
  return outcomes;
}

async function storeLines(
  record: UserRecord,
  pool: Pool,
  source: CollectionSource,
  lines: readonly string[],
): Promise<ResourceOutcome[]> {
  const outcomes: ResourceOutcome[] = [];
  const last = new Map<string, { resource: CollectedResource; line: number }>();
  lines.forEach((text, line) => {
    try {
      const resource = readCollected(source, text);
      const { type, sourceId, change } = resource;
      outcomes[line] = { outcome: 'unchanged', type, source_id: sourceId, id: change.id };
      last.set(keyText(resource.change), { resource, line });
    } catch (error) {
      if (!(error instanceof UnusableLine)) throw error;
      outcomes[line] = {
        outcome: 'failed',
        reason: error.message,
        ...(error.type === undefined ? {} : { type: error.type }),
      };
    }
  });
  const collected = [...last.values()];
  const written = await record.write(collected.map(({ resource }) => resource.change));
  collected.forEach(({ line }, index) => {
    const effect = written[index]?.outcome;
    if (effect !== 'unchanged')
      outcomes[line] = { ...outcomes[line], outcome: 'stored', created: effect === 'created' };
  });
  const unresolved = new UnresolvedReferences(pool, record.userId, source);
  await unresolved.forgetOf(written.filter(({ outcome, version }) => outcome !== 'unchanged' && version > 1));
  // Unchanged resources are included: a previous attempt of this batch may have ended after the write.
  await unresolved.markArrived(collected.map(({ resource }) => resource.change));
  await rememberMissing(
    record,
    unresolved,
    collected.map(({ resource }) => resource),
  );
  return outcomes;
}

async function rememberMissing(
  record: UserRecord,
  unresolved: UnresolvedReferences,
  resources: readonly CollectedResource[],
): Promise<void> {
  const own = new Set(resources.map(({ change }) => keyText(change)));
  const references = resources
    .flatMap((resource) => resource.references.map((reference) => ({ resource, reference })))
    .filter(({ reference }) => !own.has(keyText(reference)));
  const present = await unresolved.present(
    record,
    references.map(({ reference }) => reference),
  );
  await unresolved.remember(references.filter(({ reference }) => !present.has(keyText(reference))));
}
