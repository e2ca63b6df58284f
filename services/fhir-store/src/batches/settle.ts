import { type Change, KEEP_SOURCE, type ResourceKey, type UserRecord, VersionConflictError, releaseOfKind, typeOfKind } from '@tributary/record-storage';
import { replaceReferences } from '../records/replace-references';
import { contentOf } from '../records/resource-content';
import { parseLine } from '../records/stored-resource';
import { type AwaitedReference, type AwaitedReferences, keyText } from './awaited-references';

const pageSize = 500;
const attempts = 5;

/**
 * Ends a collection: a reference whose target never came gets the source's text back, and one whose target came after all, even in a later collection,
 * gets our form. What a resource says of its source stays as it was, so that collecting again changes nothing.
 * @returns how many resources changed
 */
export async function settle(record: UserRecord, awaited: AwaitedReferences): Promise<number> {
  let changed = 0;
  for (let page = await awaited.all(undefined, pageSize); page.length > 0; page = await awaited.all(page.at(-1), pageSize)) {
    const present = await awaited.present(record, page.map(({ target }) => target));
    const arrived = page.filter(({ target }) => present.has(keyText(target)));
    const missing = page.filter(({ target }) => !present.has(keyText(target)));
    const toRewrite = [...arrived.filter(({ restored }) => restored), ...missing.filter(({ restored }) => !restored)];
    changed += await rewriteReferrers(record, toRewrite);
    await awaited.forget(arrived);
    await awaited.markRestored(missing);
    if (page.length < pageSize) break;
  }
  return changed;
}

/** Writes the resources again in which references stand in the wrong form. */
async function rewriteReferrers(record: UserRecord, references: readonly AwaitedReference[]): Promise<number> {
  const byReferrer = new Map<string, AwaitedReference[]>();
  for (const reference of references) byReferrer.set(keyText(reference.referrer), [...(byReferrer.get(keyText(reference.referrer)) ?? []), reference]);
  const referrers = references.map(({ referrer }) => referrer);
  if (referrers.length === 0) return 0;
  for (let attempt = 1; ; attempt++) {
    const changes = await changesOf(record, referrers, byReferrer);
    try {
      await record.write(changes);
      return changes.length;
    } catch (error) {
      if (!(error instanceof VersionConflictError) || attempt === attempts) throw error;
    }
  }
}

async function changesOf(record: UserRecord, referrers: readonly ResourceKey[], byReferrer: ReadonlyMap<string, readonly AwaitedReference[]>): Promise<Change[]> {
  const changes: Change[] = [];
  for (const { kind, id, version, line } of await record.readMany(referrers)) {
    if (!line) continue;
    const resource = parseLine(line);
    const rewritten = (byReferrer.get(keyText({ kind, id })) ?? []).reduce((value, reference) => replaceReferences(value, otherForm(reference)), resource);
    if (rewritten !== resource) changes.push({ kind, id, ...contentOf(releaseOfKind(kind), rewritten), source: KEEP_SOURCE, expectedVersion: version });
  }
  return changes;
}

/** From our form to the source's texts, or back. */
function otherForm({ target, texts, restored }: AwaitedReference): (reference: string) => string | undefined {
  const ours = `${typeOfKind(target.kind)}/${target.id}`;
  if (restored) return (reference) => (texts.includes(reference) ? ours : undefined);
  let next = 0;
  return (reference) => (reference === ours ? (texts[next++] ?? texts.at(-1)) : undefined);
}
