import type { Release } from '@tributary/fhir-definitions';
import { type Resource, parseJson } from '@tributary/fhir-json';
import { newestReleaseTest } from '../sources/newest-release';
import { readHealthSystems } from '../sources/health-systems';
import { sourceIdsSecret } from '../sources/source-ids';
import { typeCodeOf } from '../type-codes';
import type { ExportedRecords } from './exported-records';
import { fileLines } from './file-lines';
import { planExport } from './plan';

/**
 * The test whether a resource of a release is of the newest release in which the record has its health system, as of a
 * snapshot.
 * @param at the snapshot, exclusive, in epoch milliseconds
 * @returns undefined when every resource of the record passes
 * @throws SnapshotGoneError, UnsealingError
 */
export async function exportedNewestReleaseTest(
  records: ExportedRecords,
  userId: number,
  release: Release,
  at: number,
): Promise<((resource: Resource) => boolean) | undefined> {
  const keys = (await records.keyStore.findMany([userId])).get(userId);
  if (!keys) return undefined;
  return newestReleaseTest(
    {
      healthSystems: () => readHealthSystems(records.pool, keys),
      secret: () => Promise.resolve(keys.secret(sourceIdsSecret)),
      patients: (newer) => readPatients(records, userId, newer, at),
    },
    release,
  );
}

async function* readPatients(
  records: ExportedRecords,
  userId: number,
  release: Release,
  at: number,
): AsyncGenerator<Resource> {
  const files = await planExport(records, { scope: { userId }, at, typeCodes: [typeCodeOf(release, 'Patient')] });
  for (const file of files)
    for await (const { lines } of fileLines(records, file))
      for (const line of lines) yield parseJson(line.toString('utf8')) as Resource;
}
