import {
  type DeletedResource,
  type ExportedRecords,
  type TypeCode,
  readDeletions,
  releaseOfCode,
  typeOfCode,
} from '@tributary/record-storage';
import { canBeInR4, r4TypeCodeOf } from '../conversion/r4-type-codes';
import type { DeletionFile } from './manifest-file';

/** Deletions in one Bundle. */
const deletionsPerBundle = 1000;

/** The number of Bundles for a number of deletions. */
export function bundlesFor(deletions: number): number {
  return Math.ceil(deletions / deletionsPerBundle);
}

/** The lines of a file of deletions: transaction Bundles of DELETE requests, as the Bulk Data Access guide has them. */
export async function* deletionBundles(records: ExportedRecords, file: DeletionFile): AsyncGenerator<Buffer> {
  const { selection, release } = file.convertedFrom ?? file;
  const isNamed = file.convertedFrom ? canBeInR4 : () => true;
  const namedType = file.convertedFrom ? (typeCode: TypeCode) => typeOfCode(r4TypeCodeOf(typeCode)) : typeOfCode;
  let pending: DeletedResource[] = [];
  for await (const chunk of readDeletions(records, selection)) {
    for (const deleted of chunk)
      if (releaseOfCode(deleted.typeCode) === release && isNamed(deleted.typeCode)) pending.push(deleted);
    while (pending.length >= deletionsPerBundle) {
      yield bundleOf(pending.slice(0, deletionsPerBundle), namedType);
      pending = pending.slice(deletionsPerBundle);
    }
  }
  if (pending.length > 0) yield bundleOf(pending, namedType);
}

function bundleOf(deletions: readonly DeletedResource[], namedType: (typeCode: TypeCode) => string): Buffer {
  const entry = deletions.map(({ typeCode, id }) => ({
    request: { method: 'DELETE', url: `${namedType(typeCode)}/${id}` },
  }));
  return Buffer.from(`${JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry })}\n`);
}
