import type { ObjectStorage } from '@tributary/object-storage';
import type { Pool } from 'pg';
import { deleteTaken } from '../content-objects/content-objects';
import { type Statement, databaseClock } from '../postgres/statement';

/** Takes some of the objects out that no version has referred to for long. $1 age in milliseconds, $2 limit */
const takeAbandoned: Statement = {
  name: 'object-abandoned',
  text: `
    DELETE FROM fhir_store.content_object WHERE (user_id, object_id) IN (
      SELECT user_id, object_id FROM fhir_store.content_object
      WHERE NOT attached AND created_at < ${databaseClock} - $1::bigint
      ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ) RETURNING object_id`,
};

/** Takes some of the objects of a user out. $1 user, $2 limit */
const takeOfUser: Statement = {
  name: 'object-of-user',
  text: `
    DELETE FROM fhir_store.content_object WHERE user_id = $1 AND object_id IN (
      SELECT object_id FROM fhir_store.content_object WHERE user_id = $1 AND attached ORDER BY object_id LIMIT $2 FOR UPDATE
    ) RETURNING object_id`,
};

/** Objects that one transaction deletes. */
const OBJECTS_PER_TRANSACTION = 100;
/** After this time, in milliseconds, the request that was to refer to an object has ended. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** Deletes the objects of versions of a destroyed record. @throws ObjectStorageError */
export async function deleteObjectsOf(pool: Pool, storage: ObjectStorage, userId: number): Promise<void> {
  while ((await deleteTaken(pool, storage, takeOfUser, [userId, OBJECTS_PER_TRANSACTION])) > 0);
}

/**
 * Deletes some objects that were uploaded and are not referred to.
 * @returns how many; 0 if none is left
 * @throws ObjectStorageError
 */
export function deleteAbandonedObjects(pool: Pool, storage: ObjectStorage): Promise<number> {
  return deleteTaken(pool, storage, takeAbandoned, [ABANDONED_AFTER_MS, OBJECTS_PER_TRANSACTION]);
}
