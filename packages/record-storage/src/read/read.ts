import type { ReadBudget } from '../blocks/block-packing';
import type { RecordKeys } from '../keys/record-keys';
import { smallintArray, uuidArray } from '../postgres/binary-arrays';
import { type Queryable, type Statement, run } from '../postgres/statement';
import { type ResourceKey, type ResourceVersion, keyText } from '../resource-key';
import type { TypeCode } from '../type-codes';
import { idsOf, knownBlocks } from './opened-blocks';
import { type StoredVersion, contentOncePerBlock, readVersions, versionOf } from './stored-version';

/**
 * The latest version of an existing resource. The content of known blocks is left out.
 * $1 user, $2 type code, $3 id, $4 ids of known blocks
 */
const currentVersion: Statement = {
  isOfUser: true,
  name: 'read-current',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated, false AS deleted, r.block_id, r.slot,
      CASE WHEN r.block_id <> ALL ($4::bigint[]) THEN (
        SELECT b.content FROM fhir_store.block b WHERE b.user_id = $1 AND b.type_code = $2 AND b.block_id = r.block_id
      ) END AS content
    FROM fhir_store.resource r WHERE r.user_id = $1 AND r.type_code = $2 AND r.id = $3`,
};

/** The latest version of a resource, be it a deletion. The parameters are those of `currentVersion`. */
const latestVersion: Statement = {
  isOfUser: true,
  name: 'read-latest',
  text: `${currentVersion.text}
    UNION ALL
    SELECT type_code, id, version, last_updated, true, NULL, NULL, NULL FROM fhir_store.resource_history
    WHERE user_id = $1 AND type_code = $2 AND id = $3 AND deleted AND superseded_at IS NULL`,
};

/**
 * One version of a resource. $1 user, $2 type code, $3 id, $4 version. PostgreSQL locks the tables of a query before
 * those of its WITH queries; a WITH query here would lock `block` first, which could deadlock with `partitionRecords`.
 */
const oneVersion: Statement = {
  isOfUser: true,
  name: 'read-version',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated, false AS deleted, r.block_id, r.slot, (
        SELECT b.content FROM fhir_store.block b WHERE b.user_id = $1 AND b.type_code = $2 AND b.block_id = r.block_id
      ) AS content
    FROM fhir_store.resource r WHERE r.user_id = $1 AND r.type_code = $2 AND r.id = $3 AND r.version = $4
    UNION ALL
    SELECT h.type_code, h.id, h.version, h.last_updated, h.deleted, h.block_id, h.slot, (
        SELECT b.content FROM fhir_store.block b WHERE b.user_id = $1 AND b.type_code = $2 AND b.block_id = h.block_id
      )
    FROM fhir_store.resource_history h WHERE h.user_id = $1 AND h.type_code = $2 AND h.id = $3 AND h.version = $4`,
};

/**
 * Existing resources by their keys. $1 user, $2 type codes, $3 ids. The lateral subquery looks each key up by the
 * primary key. As a join, PostgreSQL may read every row of the user instead.
 */
const manyVersions: Statement = {
  name: 'read-many',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated, false AS deleted, r.block_id, r.slot, ${contentOncePerBlock('r')}
    FROM unnest($2::smallint[], $3::uuid[]) AS w (type_code, id)
    CROSS JOIN LATERAL (
      SELECT type_code, id, version, last_updated, block_id, slot FROM fhir_store.resource
      WHERE user_id = $1 AND type_code = w.type_code AND id = w.id LIMIT 1
    ) r`,
};

/** Which of these resources exist. $1 user, $2 type codes, $3 ids */
const currentMetadata: Statement = {
  name: 'read-current-metadata',
  text: `
    SELECT r.type_code, r.id, r.version, r.last_updated
    FROM unnest($2::smallint[], $3::uuid[]) AS w (type_code, id)
    CROSS JOIN LATERAL (
      SELECT type_code, id, version, last_updated FROM fhir_store.resource WHERE user_id = $1 AND type_code = w.type_code AND id = w.id LIMIT 1
    ) r`,
};

/**
 * The latest version of a resource; undefined if there never was one.
 * @throws UnsealingError if its block cannot be decrypted or holds another resource at its slot
 */
export async function readLatest(
  queryable: Queryable,
  keys: RecordKeys,
  typeCode: TypeCode,
  id: string,
  budget?: ReadBudget,
): Promise<StoredVersion | undefined> {
  const known = knownBlocks(keys);
  const parameters = [keys.userId, typeCode, id, idsOf(known, typeCode)];
  const current = await run(queryable, currentVersion, parameters);
  // Nearly all reads are of resources that exist; only the others pay for a second statement. It reads both tables,
  // since a deleted resource may be restored in between.
  const rows = current.length > 0 ? current : await run(queryable, latestVersion, parameters);
  return readVersions(keys, rows, { known, budget })[0];
}

/** One version of a resource, which may be a deletion. @throws UnsealingError */
export async function readVersion(
  queryable: Queryable,
  keys: RecordKeys,
  typeCode: TypeCode,
  id: string,
  version: number,
  budget?: ReadBudget,
): Promise<StoredVersion | undefined> {
  const rows = await run(queryable, oneVersion, [keys.userId, typeCode, id, version]);
  return readVersions(keys, rows, { budget })[0];
}

/** The current versions of those resources that exist, in the order of the keys, each once. @throws UnsealingError */
export async function readMany(
  queryable: Queryable,
  keys: RecordKeys,
  wanted: readonly ResourceKey[],
  budget?: ReadBudget,
): Promise<StoredVersion[]> {
  const rows = await run(queryable, manyVersions, keyParameters(keys.userId, wanted));
  return inOrderOf(wanted, readVersions(keys, rows, { budget }));
}

/** The same without content: no block is read or decrypted. */
export async function readCurrentVersions(
  queryable: Queryable,
  keys: RecordKeys,
  wanted: readonly ResourceKey[],
): Promise<ResourceVersion[]> {
  const rows = await run(queryable, currentMetadata, keyParameters(keys.userId, wanted));
  return inOrderOf(wanted, rows.map(versionOf));
}

/** The user, the type codes and the ids, each resource once. */
export function keyParameters(userId: number, wanted: readonly ResourceKey[]): unknown[] {
  const distinct = [...new Map(wanted.map((key) => [keyText(key), key])).values()];
  return [userId, smallintArray(distinct.map(({ typeCode }) => typeCode)), uuidArray(distinct.map(({ id }) => id))];
}

function inOrderOf<T extends ResourceKey>(wanted: readonly ResourceKey[], found: readonly T[]): T[] {
  const byKey = new Map(found.map((each) => [keyText(each), each]));
  const ordered = new Set<T>();
  for (const key of wanted) {
    const each = byKey.get(keyText(key));
    if (each) ordered.add(each);
  }
  return [...ordered];
}
