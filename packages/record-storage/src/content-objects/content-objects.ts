import { randomUUID } from 'node:crypto';
import { ObjectMissingError, type ObjectStorage } from '@tributary/object-storage';
import type { Pool } from 'pg';
import { RecordDestroyedError } from '../errors';
import type { RecordKeys } from '../keys/record-keys';
import { uuidArray } from '../postgres/binary-arrays';
import { type Queryable, type Statement, databaseClock, run } from '../postgres/statement';
import { type ContentReference, findReferences, mayHaveReferences } from './content-reference';
import { sealSegments } from './sealed-segments';

/** $1 user, $2 object */
const begin: Statement = {
  name: 'object-begin',
  text: `
    INSERT INTO fhir_store.content_object (user_id, object_id, created_at)
    SELECT user_id, $2, ${databaseClock} FROM fhir_store.record WHERE user_id = $1 AND destroyed_at IS NULL
    RETURNING 1`,
};

/**
 * Marks the objects to which a version refers, unless they are being deleted. $1 user, $2 objects. Columns: the number
 * of them that are there
 */
const attach: Statement = {
  name: 'object-attach',
  text: `
    WITH attached AS (
      UPDATE fhir_store.content_object SET attached = true
      WHERE user_id = $1 AND object_id = ANY ($2::uuid[]) AND (attached OR created_at > 0)
      RETURNING 1
    )
    SELECT count(*)::integer FROM attached`,
};

/** Gives an object up to which no version refers: from now on none can. $1 user, $2 object */
const giveUp: Statement = {
  name: 'object-give-up',
  text: `UPDATE fhir_store.content_object SET created_at = 0 WHERE user_id = $1 AND object_id = $2 AND NOT attached RETURNING 1`,
};

/** Forgets an object that was given up and is deleted. $1 user, $2 object */
const forget: Statement = {
  name: 'object-forget',
  text: `DELETE FROM fhir_store.content_object WHERE user_id = $1 AND object_id = $2 AND NOT attached AND created_at = 0`,
};

/**
 * The content of records that is in an object storage. An object is listed in the database before it is uploaded, and
 * marked in the transaction of the version that first refers to it. One that is not marked, as after a crash, is
 * deleted a day later. An object that is to be deleted is given up first, and forgotten when it is deleted.
 */
export class ContentObjects {
  constructor(
    private readonly pool: Pool,
    readonly storage: ObjectStorage,
  ) {}

  /**
   * Uploads content, sealed in segments. Holds a few megabytes in memory.
   * @throws RecordDestroyedError, ObjectStorageError, and what the content throws
   */
  async store(keys: RecordKeys, content: AsyncIterable<Buffer>): Promise<ContentReference> {
    const objectId = randomUUID();
    const [row] = await run(this.pool, begin, [keys.userId, objectId]);
    if (!row) throw new RecordDestroyedError(keys.userId);
    let length = 0;
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of content) {
        length += piece.length;
        yield piece;
      }
    };
    await this.storage.write(objectId, sealSegments(keys, objectId, counted()));
    return { objectId, length };
  }

  /** Deletes an object, unless a version refers to it. @throws ObjectStorageError */
  async discard(userId: number, { objectId }: ContentReference): Promise<void> {
    const [row] = await run(this.pool, giveUp, [userId, objectId]);
    if (!row) return;
    await this.storage.delete(objectId);
    await run(this.pool, forget, [userId, objectId]);
  }
}

/**
 * Marks the objects to which written JSON refers, within the transaction that writes it.
 * @throws ObjectMissingError if one of them was deleted, as it was uploaded a day ago
 */
export async function attachObjects(
  queries: Queryable,
  keys: RecordKeys,
  written: readonly { readonly json: Buffer }[],
): Promise<void> {
  const ids = new Set(
    written
      .filter(({ json }) => mayHaveReferences(json))
      .flatMap(({ json }) => findReferences(keys, json).map(({ objectId }) => objectId)),
  );
  if (ids.size === 0) return;
  const [row] = await run(queries, attach, [keys.userId, uuidArray([...ids])]);
  if (row?.[0] !== ids.size) throw new ObjectMissingError();
}
