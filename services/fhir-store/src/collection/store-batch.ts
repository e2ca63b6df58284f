import type { ResourceOutcome } from '@tributary/contracts';
import { type UserRecord, keyText } from '@tributary/record-storage';
import type { Pool } from 'pg';
import { UnresolvedReferences } from './unresolved-references';
import { type CollectedResource, UnusableLine, readCollected } from './collected-resource';
import type { CollectionSource } from './collection-source';

const writtenAtOnce = 500;

/**
 * Stores the lines of a batch and remembers the references whose targets are missing. A line that cannot be stored fails alone; of two lines for
 * the same resource the last one counts.
 * @returns what became of each line, in their order
 */
export async function storeBatch(
  record: UserRecord,
  pool: Pool,
  source: CollectionSource,
  lines: readonly string[],
): Promise<ResourceOutcome[]> {
  const outcomes: ResourceOutcome[] = [];
  for (let from = 0; from < lines.length; from += writtenAtOnce) {
    outcomes.push(...(await storeLines(record, pool, source, lines.slice(from, from + writtenAtOnce))));
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
      outcomes[line] = { outcome: 'unchanged', type: resource.type, source_id: resource.sourceId };
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
  collected.forEach(({ resource, line }, place) => {
    const isStored = written[place]?.outcome !== 'unchanged';
    outcomes[line] = { outcome: isStored ? 'stored' : 'unchanged', type: resource.type, source_id: resource.sourceId };
  });
  const unresolved = new UnresolvedReferences(pool, record.userId, source);
  await unresolved.forgetOf(written.filter(({ outcome, version }) => outcome !== 'unchanged' && version > 1));
  // Also what is unchanged: a batch that is sent again may have been cut off before this.
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
