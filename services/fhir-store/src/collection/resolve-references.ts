import {
  type Change,
  KEEP_SOURCE,
  type ResourceKey,
  type UserRecord,
  VersionConflictError,
  releaseOfCode,
  keyText,
  relativeReference,
} from '@tributary/record-storage';
import { type Replace, replaceReferences } from '../resources/replace-references';
import { contentOf, parseResource } from '../resources/resource-content';
import type { CollectionSource } from './collection-source';
import { readSourceReference } from './source-reference';
import { type UnresolvedReference, type UnresolvedReferences } from './unresolved-references';

const pageSize = 500;
const attempts = 5;

/**
 * The limit of passes over pending references. A concurrent batch of the same source can store a target during a pass.
 */
const passes = 3;

/**
 * Ends a collection. A reference without a stored target is reverted to the text of the source. A reverted reference
 * whose target is stored later, also by a later collection, becomes a relative reference again. The stored source
 * content does not change, so a repeated collection changes nothing. Only pending references are read. The function can
 * be interrupted at any point and repeated.
 * @returns the number of changed resources
 * @throws VersionConflictError when concurrent writes change the same resources in every attempt
 */
export async function resolveReferences(record: UserRecord, unresolved: UnresolvedReferences): Promise<number> {
  let changed = 0;
  for (let pass = 0, isMore = true; isMore && pass < passes; pass++) {
    isMore = false;
    let page: UnresolvedReference[] = [];
    do {
      page = await unresolved.pending(page.at(-1), pageSize);
      const result = await resolvePage(record, unresolved, page);
      changed += result.changed;
      isMore ||= result.arrivedMeanwhile > 0;
    } while (page.length === pageSize);
  }
  return changed;
}

async function resolvePage(
  record: UserRecord,
  unresolved: UnresolvedReferences,
  page: readonly UnresolvedReference[],
): Promise<{ changed: number; arrivedMeanwhile: number }> {
  const present = await unresolved.present(
    record,
    page.map(({ target }) => target),
  );
  const arrived = page.filter(({ target }) => present.has(keyText(target)));
  const missing = page.filter(({ target }) => !present.has(keyText(target)));
  const toRewrite = [...arrived.filter(({ reverted }) => reverted), ...missing.filter(({ reverted }) => !reverted)];
  const changed = await rewriteReferrers(record, unresolved.source, toRewrite);
  const referrers = await unresolved.present(
    record,
    missing.map(({ referrer }) => referrer),
  );
  await unresolved.forget([...arrived, ...missing.filter(({ referrer }) => !referrers.has(keyText(referrer)))]);
  await unresolved.markReverted(missing.filter(({ referrer }) => referrers.has(keyText(referrer))));
  // A batch stores a target before it marks the target as arrived. The second query finds targets that were marked
  // before markReverted.
  const storedMeanwhile = await unresolved.present(
    record,
    missing.map(({ target }) => target),
  );
  const arrivedMeanwhile = await unresolved.markArrived(
    missing.map(({ target }) => target).filter((target) => storedMeanwhile.has(keyText(target))),
  );
  return { changed, arrivedMeanwhile };
}

/** Writes new versions of the resources whose references have the wrong form. @returns the number of resources */
async function rewriteReferrers(
  record: UserRecord,
  source: CollectionSource,
  references: readonly UnresolvedReference[],
): Promise<number> {
  const byReferrer = new Map<string, UnresolvedReference[]>();
  for (const reference of references)
    byReferrer.set(keyText(reference.referrer), [...(byReferrer.get(keyText(reference.referrer)) ?? []), reference]);
  const referrers = references.map(({ referrer }) => referrer);
  if (referrers.length === 0) return 0;
  for (let attempt = 1; ; attempt++) {
    const changes = await changesOf(record, source, referrers, byReferrer);
    try {
      await record.write(changes);
      return changes.length;
    } catch (error) {
      if (!(error instanceof VersionConflictError) || attempt === attempts) throw error;
    }
  }
}

async function changesOf(
  record: UserRecord,
  source: CollectionSource,
  referrers: readonly ResourceKey[],
  byReferrer: ReadonlyMap<string, readonly UnresolvedReference[]>,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const { typeCode, id, version, json } of await record.readMany(referrers)) {
    if (!json) continue;
    const resource = parseResource(json);
    const rewritten = (byReferrer.get(keyText({ typeCode, id })) ?? []).reduce(
      (value, reference) => replaceReferences(value, otherForm(source, reference)),
      resource,
    );
    if (rewritten !== resource)
      changes.push({
        typeCode,
        id,
        ...contentOf(releaseOfCode(typeCode), rewritten),
        source: KEEP_SOURCE,
        expectedVersion: version,
      });
  }
  return changes;
}

/**
 * The replacement of a relative reference by the texts of the source, or the reverse for a reverted reference. The
 * resource can have an older signature of an address than the texts.
 */
function otherForm(source: CollectionSource, { target, texts, reverted }: UnresolvedReference): Replace {
  const relative = relativeReference(target);
  if (reverted)
    return (text, member) =>
      texts.includes(text) || (member === 'attachment' && readSourceReference(source, text, member)?.id === target.id)
        ? relative
        : undefined;
  let next = 0;
  return (reference) => (reference === relative ? (texts[next++] ?? texts.at(-1)) : undefined);
}
