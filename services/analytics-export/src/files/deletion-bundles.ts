import { type DeletedResource, type RecordExport, releaseOfKind, typeOfKind } from '@tributary/record-storage';
import type { DeletionFile } from './file-description';

/** Deletions that one Bundle names. */
const deletionsPerBundle = 1000;

/** How many Bundles name so many deletions. */
export function bundlesFor(deletions: number): number {
  return Math.ceil(deletions / deletionsPerBundle);
}

/** The lines of a file of deletions: transaction Bundles of DELETE requests, as the Bulk Data Access guide has them. */
export async function* deletionBundles(reader: RecordExport, { selection, release }: DeletionFile): AsyncGenerator<Buffer> {
  let pending: DeletedResource[] = [];
  for await (const chunk of reader.deletions(selection)) {
    for (const deleted of chunk) if (releaseOfKind(deleted.kind) === release) pending.push(deleted);
    while (pending.length >= deletionsPerBundle) {
      yield bundleOf(pending.slice(0, deletionsPerBundle));
      pending = pending.slice(deletionsPerBundle);
    }
  }
  if (pending.length > 0) yield bundleOf(pending);
}

function bundleOf(deletions: readonly DeletedResource[]): Buffer {
  const entry = deletions.map(({ kind, id }) => ({ request: { method: 'DELETE', url: `${typeOfKind(kind)}/${id}` } }));
  return Buffer.from(`${JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry })}\n`);
}
