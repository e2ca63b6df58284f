import type { ObjectStorage } from '@tributary/object-storage';
import type { Pool } from 'pg';
import { uuidArray, wholeNumberArray } from '../postgres/binary-arrays';
import { type Row, type Statement, databaseClock, run } from '../postgres/statement';

/**
 * Gives some of the objects up that no version has referred to for long, and those that were given up before and are
 * still there. $1 age in milliseconds, $2 limit. Columns: user_id, object_id
 */
const giveUpAbandoned: Statement = {
  name: 'object-abandoned',
  text: `
    UPDATE fhir_store.content_object SET created_at = 0 WHERE (user_id, object_id) IN (
      SELECT user_id, object_id FROM fhir_store.content_object
      WHERE NOT attached AND created_at < ${databaseClock} - $1::bigint
      ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ) RETURNING user_id, object_id`,
};

/** Some of the objects of versions of a user. $1 user, $2 limit. Columns: user_id, object_id */
const listOfUser: Statement = {
  name: 'object-of-user',
  text: `SELECT user_id, object_id FROM fhir_store.content_object WHERE user_id = $1 AND attached LIMIT $2`,
};

/** Forgets objects that are deleted. $1 users, $2 objects */
const forgetDeleted: Statement = {
  name: 'object-deleted',
  text: `
    DELETE FROM fhir_store.content_object o USING unnest($1::bigint[], $2::uuid[]) AS d (user_id, object_id)
    WHERE o.user_id = d.user_id AND o.object_id = d.object_id`,
};

/** Objects whose rows one statement reads, and requests to the object storage at a time. */
const OBJECTS_PER_STEP = 100;
const REQUESTS_AT_ONCE = 8;
/** After this time, in milliseconds, the request that was to refer to an object has ended. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/**
 * Deletes the objects of versions of a destroyed record. Several processes may do so at once.
 * @throws ObjectStorageError
 */
export async function deleteObjectsOf(pool: Pool, storage: ObjectStorage, userId: number): Promise<void> {
  while ((await deleteListed(pool, storage, await run(pool, listOfUser, [userId, OBJECTS_PER_STEP]))) > 0);
}

/**
 * Deletes some objects that were uploaded and are not referred to.
 * @returns how many; 0 if none is left
 * @throws ObjectStorageError
 */
export async function deleteAbandonedObjects(pool: Pool, storage: ObjectStorage): Promise<number> {
  return deleteListed(pool, storage, await run(pool, giveUpAbandoned, [ABANDONED_AFTER_MS, OBJECTS_PER_STEP]));
}

/**
 * Deletes objects, and forgets those that are deleted.
 * @param rows columns user_id, object_id
 * @throws ObjectStorageError when some of them are not
 */
async function deleteListed(pool: Pool, storage: ObjectStorage, rows: readonly Row[]): Promise<number> {
  const failures: unknown[] = [];
  for (let from = 0; from < rows.length; from += REQUESTS_AT_ONCE) {
    const some = rows.slice(from, from + REQUESTS_AT_ONCE);
    const results = await Promise.allSettled(some.map(([, objectId]) => storage.delete(objectId as string)));
    const deleted = some.filter((_row, at) => results[at]?.status === 'fulfilled');
    failures.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : [])));
    const users = wholeNumberArray(deleted.map(([userId]) => Number(userId)));
    await run(pool, forgetDeleted, [users, uuidArray(deleted.map(([, objectId]) => objectId as string))]);
  }
  if (failures.length > 0) throw failures[0];
  return rows.length;
}
