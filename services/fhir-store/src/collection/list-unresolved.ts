import type { UnresolvedReferences } from '@tributary/contracts';
import type { ResourceKey, UserRecord } from '@tributary/record-storage';
import { type AwaitedReferences, keyText } from './unresolved-references';

const pageSize = 1000;

/** One page of what the collector may still fetch: references, as the source writes them, whose targets have not come. */
export async function listAwaited(
  record: UserRecord,
  awaited: AwaitedReferences,
  after: ResourceKey | undefined,
): Promise<UnresolvedReferences> {
  const page = await awaited.pendingTargets(after, pageSize);
  const present = await awaited.present(
    record,
    page.map(({ target }) => target),
  );
  const references = page
    .filter(({ target }) => !present.has(keyText(target)))
    .map(({ sourceReference }) => sourceReference);
  const last = page.length === pageSize ? page.at(-1) : undefined;
  return { references, ...(last ? { next: keyText(last.target) } : {}) };
}
