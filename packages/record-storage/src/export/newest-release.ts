import type { Release } from '@tributary/fhir-definitions';
import { type Resource, parseJson } from '@tributary/fhir-json';
import type { Pool } from 'pg';
import type { RecordKeyStore } from '../keys/record-key-store';
import { newerReleases, newestReleaseTest } from '../sources/newest-release';
import { readHealthSystems } from '../sources/health-systems';
import { sourceIdsSecret } from '../sources/source-ids';
import { typeCodeOf } from '../type-codes';
import { fileLines } from './file-lines';
import { planExport } from './plan';

/**
 * The test whether a resource of a release is of the newest release in which the record has its health system, as of a
 * snapshot.
 * @param at the snapshot, exclusive, in epoch milliseconds
 * @returns undefined when every resource of the record passes
 * @throws SnapshotGoneError, UnsealingError
 */
export async function readNewestReleaseTest(
  pool: Pool,
  keyStore: RecordKeyStore,
  userId: number,
  release: Release,
  at: number,
): Promise<((resource: Resource) => boolean) | undefined> {
  const newer = newerReleases(release);
  const keys = newer.length === 0 ? undefined : (await keyStore.findMany([userId])).get(userId);
  const healthSystems = keys ? await readHealthSystems(pool, keys) : [];
  if (!keys || healthSystems.length === 0) return undefined;
  const patients = new Map<Release, Resource[]>();
  for (const each of newer) {
    const found: Resource[] = [];
    const files = await planExport(
      pool,
      keyStore,
      { scope: { userId }, at, typeCodes: [typeCodeOf(each, 'Patient')] },
      {},
    );
    for (const file of files) {
      for await (const { lines } of fileLines(pool, keyStore, file, () => true))
        found.push(...lines.map((line) => parseJson(line.toString('utf8')) as Resource));
    }
    patients.set(each, found);
  }
  return newestReleaseTest(keys.secret(sourceIdsSecret), healthSystems, release, patients);
}
