import {
  type DeletedResource,
  type Kind,
  type RecordExport,
  releaseOfKind,
  typeOfKind,
} from '@tributary/record-storage';
import { isOfConverted } from '../conversion/converted-files';
import { canBeInR4, r4KindOf } from '../conversion/r4-kinds';
import type { DeletionFile } from './file-description';

/** Deletions that one Bundle names. */
const deletionsPerBundle = 1000;

/** How many Bundles name so many deletions. */
export function bundlesFor(deletions: number): number {
  return Math.ceil(deletions / deletionsPerBundle);
}

/** The lines of a file of deletions: transaction Bundles of DELETE requests, as the Bulk Data Access guide has them. */
export async function* deletionBundles(reader: RecordExport, file: DeletionFile): AsyncGenerator<Buffer> {
  const { selection, release } = isOfConverted(file) ? file.source : file;
  const isNamed = isOfConverted(file) ? canBeInR4 : () => true;
  const namedType = isOfConverted(file) ? (kind: Kind) => typeOfKind(r4KindOf(kind)) : typeOfKind;
  let pending: DeletedResource[] = [];
  for await (const chunk of reader.deletions(selection)) {
    for (const deleted of chunk)
      if (releaseOfKind(deleted.kind) === release && isNamed(deleted.kind)) pending.push(deleted);
    while (pending.length >= deletionsPerBundle) {
      yield bundleOf(pending.slice(0, deletionsPerBundle), namedType);
      pending = pending.slice(deletionsPerBundle);
    }
  }
  if (pending.length > 0) yield bundleOf(pending, namedType);
}

function bundleOf(deletions: readonly DeletedResource[], namedType: (kind: Kind) => string): Buffer {
  const entry = deletions.map(({ kind, id }) => ({ request: { method: 'DELETE', url: `${namedType(kind)}/${id}` } }));
  return Buffer.from(`${JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry })}\n`);
}
