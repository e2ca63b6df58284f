import type { UnresolvedReferences as UnresolvedReferencesPage } from '@tributary/contracts';
import { type ResourceKey, type UserRecord, keyText } from '@tributary/record-storage';
import { type UnresolvedReferences } from './unresolved-references';

const pageSize = 1000;

/**
 * One page of the references whose targets the record does not hold, or holds in an outdated version, in the form of
 * the source. The collector can still fetch these targets.
 */
export async function listUnresolved(
  record: UserRecord,
  unresolved: UnresolvedReferences,
  after: ResourceKey | undefined,
): Promise<UnresolvedReferencesPage> {
  const page = await unresolved.pendingTargets(after, pageSize);
  const present = await unresolved.present(
    record,
    page.map(({ target }) => target),
  );
  const references = page
    .filter(({ target, isOutdated }) => isOutdated || !present.has(keyText(target)))
    .map(({ sourceReference }) => sourceReference);
  const last = page.length === pageSize ? page.at(-1) : undefined;
  return { references, ...(last ? { next: keyText(last.target) } : {}) };
}
