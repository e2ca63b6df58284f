import { type Release, releases } from '@tributary/fhir-definitions';
import { type ExportedRecords, readDeletions, releaseOfCode } from '@tributary/record-storage';
import { canBeInR4, r4TypeCodeOf } from '../conversion/r4-type-codes';
import { bundlesFor } from '../files/deletion-bundles';
import type { DeletionFile } from '../files/manifest-file';

type Selection = DeletionFile['selection'];

/**
 * The files that name what was deleted, one for each release. An export in R4 names it by its R4 type, and leaves out
 * types that have no conversion.
 */
export async function planDeletions(
  records: ExportedRecords,
  selection: Selection,
  inR4: boolean,
  signal?: AbortSignal,
): Promise<DeletionFile[]> {
  const deletions: Record<Release, number> = { dstu2: 0, stu3: 0, r4: 0 };
  for await (const chunk of readDeletions(records, selection)) {
    signal?.throwIfAborted();
    for (const { typeCode } of chunk) if (!inR4 || canBeInR4(typeCode)) deletions[releaseOfCode(typeCode)]++;
  }
  return releases
    .filter((release) => deletions[release] > 0)
    .map((release) =>
      inR4
        ? fileInR4(selection, release, bundlesFor(deletions[release]))
        : { of: 'deletions', selection, release, count: bundlesFor(deletions[release]) },
    );
}

function fileInR4(selection: Selection, release: Release, count: number): DeletionFile {
  const typeCodes = selection.typeCodes?.filter(
    (typeCode) => releaseOfCode(typeCode) === release && canBeInR4(typeCode),
  );
  const stored: Selection = { ...selection, ...(typeCodes ? { typeCodes } : {}) };
  const exported: DeletionFile = {
    of: 'deletions',
    selection: { ...selection, ...(typeCodes ? { typeCodes: typeCodes.map(r4TypeCodeOf) } : {}) },
    release: 'r4',
    count,
  };
  return release === 'r4' ? exported : { ...exported, convertedFrom: { release, selection: stored } };
}
