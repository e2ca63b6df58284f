import type { SourceDeletion, SourceDeletions, SourceReferences } from '@tributary/contracts';
import { isResourceType } from '@tributary/fhir-definitions';
import { type Criterion, compartmentCriterion, patientCriterion } from '@tributary/fhir-search';
import { type UserRecord, VersionConflictError, sourceReferenceOf, typeCodeOf } from '@tributary/record-storage';
import type { Pool } from 'pg';
import { readManyInChunks } from '../interactions/search/evaluate/read-chunks';
import { parseResource } from '../resources/resource-content';
import type { CollectionSource } from './collection-source';
import { UnresolvedReferences } from './unresolved-references';

/** Keys that are examined for one page. Only those that are not left out are read. */
const examinedKeys = 10_000;
const pageSize = 100;

export interface WantedReferences {
  type: string;
  /**
   * The id of a Patient at the source: only resources about this patient, and not in the compartment of another one.
   */
  patientId: string | undefined;
  /** Ids in the record that are left out. */
  without: ReadonlySet<string>;
  /** The `next` of the previous page. */
  after: string | undefined;
}

/**
 * One page of the resources of a type that the record holds from a source, in the order of their ids. No column names
 * the source: the URL in `meta` gives the id at the source, from which the id in the record must follow.
 */
export async function listSourceReferences(
  record: UserRecord,
  source: CollectionSource,
  { type, patientId, without, after }: WantedReferences,
): Promise<SourceReferences> {
  if (!isResourceType(source.release, type)) return { references: [] };
  const patient = patientId === undefined ? undefined : source.idOf('Patient', patientId);
  const about = patient === undefined ? undefined : patientCriterion(source.release, patient, type);
  if (patient !== undefined && about === undefined) return { references: [] };
  const ofOthers = patient === undefined ? [] : await compartmentsOfOthers(record, source, patient, type);
  const typeCode = typeCodeOf(source.release, type);
  const { matches, next } = await record.search.keysPage({
    typeCodes: [typeCode],
    where: about?.condition ?? { op: 'all' },
    limit: examinedKeys,
    ...(after === undefined ? {} : { after: [after] }),
  });
  const candidates = matches.filter(({ id }) => !without.has(id));
  const page = candidates.slice(0, pageSize);
  const references: SourceReferences['references'] = [];
  for await (const versions of readManyInChunks(record, page)) {
    for (const { id, version, lastUpdated, json } of versions) {
      const resource = json && parseResource(json);
      if (!resource || about?.matches(resource) === false) continue;
      if (ofOthers.some((compartment) => compartment.matches(resource))) continue;
      const reference = sourceReferenceOf(source, resource);
      if (reference !== undefined) references.push({ id, reference, version, last_updated: lastUpdated });
    }
  }
  const last = candidates.length > pageSize ? page.at(-1) : next && matches.at(-1);
  return { references, ...(last ? { next: last.id } : {}) };
}

/** The compartments of the other Patients that the record holds from the source. @param patient an id in the record */
async function compartmentsOfOthers(
  record: UserRecord,
  source: CollectionSource,
  patient: string,
  type: string,
): Promise<Criterion[]> {
  const without = new Set([patient]);
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await listSourceReferences(record, source, { type: 'Patient', patientId: undefined, without, after });
    ids.push(...page.references.map(({ id }) => id));
    after = page.next;
  } while (after !== undefined);
  return ids.flatMap((id) => compartmentCriterion(source.release, 'Patient', id, type) ?? []);
}

/**
 * Deletes resources that the source has deleted, each as a version of its own. A resource whose current version is not
 * the named one was written since it was read at the source, and stays.
 * @returns the results, in the order of the deletions
 */
export async function deleteFromSource(
  record: UserRecord,
  pool: Pool,
  source: CollectionSource,
  deletions: readonly SourceDeletion[],
): Promise<SourceDeletions['results']> {
  const results: SourceDeletions['results'] = [];
  const unresolved = new UnresolvedReferences(pool, record.userId, source);
  for (const { reference, version } of deletions) {
    const { type, sourceId } = partsOf(reference);
    if (!isResourceType(source.release, type)) {
      results.push('absent');
      continue;
    }
    const key = { typeCode: typeCodeOf(source.release, type), id: source.idOf(type, sourceId) };
    const result = await deleteVersion(record, key, version);
    // An absent resource is included: an earlier call may have ended after the deletion.
    if (result !== 'changed') await unresolved.forgetOf([key]);
    results.push(result);
  }
  return results;
}

async function deleteVersion(
  record: UserRecord,
  { typeCode, id }: Parameters<UnresolvedReferences['forgetOf']>[0][number],
  version: number,
): Promise<SourceDeletions['results'][number]> {
  try {
    await record.delete(typeCode, id, version);
    return 'deleted';
  } catch (error) {
    if (!(error instanceof VersionConflictError)) throw error;
    return error.actual === undefined ? 'absent' : 'changed';
  }
}

/** A reference is `Type/id`, or the URL of an attachment, which is the id of its Binary. */
function partsOf(reference: string): { type: string; sourceId: string } {
  const [, type, sourceId] = /^([A-Z][A-Za-z]{1,63})\/(.+)$/s.exec(reference) ?? [];
  return type !== undefined && sourceId !== undefined ? { type, sourceId } : { type: 'Binary', sourceId: reference };
}
