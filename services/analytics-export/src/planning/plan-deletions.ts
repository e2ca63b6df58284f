import { type Release, releases } from '@tributary/fhir-definitions';
import { type RecordExport, releaseOfCode } from '@tributary/record-storage';
import type { ConvertedDeletionFile } from '../conversion/converted-files';
import { canBeInR4, r4KindOf } from '../conversion/r4-kinds';
import { bundlesFor } from '../files/deletion-bundles';
import type { DeletionFile } from '../files/file-description';

type Selection = DeletionFile['selection'];

/** The files that name what was deleted, one for each release. In R4 it goes by its R4 type, and what is never exported in R4 is not named. */
export async function planDeletions(
  reader: RecordExport,
  selection: Selection,
  inR4: boolean,
  signal?: AbortSignal,
): Promise<DeletionFile[]> {
  const deletions: Record<Release, number> = { dstu2: 0, stu3: 0, r4: 0 };
  for await (const chunk of reader.deletions(selection)) {
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

function fileInR4(selection: Selection, release: Release, count: number): DeletionFile | ConvertedDeletionFile {
  const typeCodes = selection.typeCodes?.filter(
    (typeCode) => releaseOfCode(typeCode) === release && canBeInR4(typeCode),
  );
  const stored: Selection = { ...selection, ...(typeCodes ? { typeCodes } : {}) };
  const exported: DeletionFile = {
    of: 'deletions',
    selection: { ...selection, ...(typeCodes ? { typeCodes: typeCodes.map(r4KindOf) } : {}) },
    release: 'r4',
    count,
  };
  return release === 'r4' ? exported : { ...exported, source: { release, selection: stored } };
}
