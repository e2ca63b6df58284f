import { randomUUID } from 'node:crypto';
import type { ObjectStorage } from '@tributary/object-storage';
import type { Pool } from 'pg';
import { RecordDestroyedError } from '../errors';
import type { RecordKeys } from '../keys/record-keys';
import { uuidArray } from '../postgres/binary-arrays';
import { type Queryable, type Statement, databaseClock, inTransaction, run } from '../postgres/statement';
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

/** Marks the objects to which a version refers. $1 user, $2 objects. Columns: the number of them that are there */
const attach: Statement = {
  name: 'object-attach',
  text: `
    WITH attached AS (
      UPDATE fhir_store.content_object SET attached = true WHERE user_id = $1 AND object_id = ANY ($2::uuid[]) RETURNING 1
    )
    SELECT count(*)::integer FROM attached`,
};

/** Takes an object out that no version refers to. $1 user, $2 object */
const takeUnattached: Statement = {
  name: 'object-discard',
  text: `DELETE FROM fhir_store.content_object WHERE user_id = $1 AND object_id = $2 AND NOT attached RETURNING object_id`,
};

/** Requests to the object storage at a time. */
const REQUESTS_AT_ONCE = 8;

/**
 * The content of records that is in an object storage. An object is listed in the database before it is uploaded, and
 * marked in the transaction of the version that first refers to it. One that is not marked, as after a crash, is
 * deleted a day later.
 */
export class ContentObjects {
  constructor(
    private readonly pool: Pool,
    readonly storage: ObjectStorage,
  ) {}

  /**
   * Uploads content, sealed in segments. Holds a few segments in memory.
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
    await deleteTaken(this.pool, this.storage, takeUnattached, [userId, objectId]);
  }
}

/**
 * Deletes the objects that a statement takes out of the table. Their rows come back when the storage fails.
 * @returns how many
 * @throws ObjectStorageError
 */
export function deleteTaken(
  pool: Pool,
  storage: ObjectStorage,
  statement: Statement,
  parameters: readonly unknown[],
): Promise<number> {
  return inTransaction(pool, async (connection) => {
    await connection.query('BEGIN');
    const taken = (await run(connection, statement, parameters)).map(([objectId]) => objectId as string);
    for (let from = 0; from < taken.length; from += REQUESTS_AT_ONCE)
      await Promise.all(taken.slice(from, from + REQUESTS_AT_ONCE).map((objectId) => storage.delete(objectId)));
    return taken.length;
  });
}

/**
 * Marks the objects to which written JSON refers, within the transaction that writes it.
 * @returns false if one of them is not there any more
 */
export async function attachObjects(
  queries: Queryable,
  keys: RecordKeys,
  written: readonly { readonly json: Buffer }[],
): Promise<boolean> {
  const ids = new Set(
    written
      .filter(({ json }) => mayHaveReferences(json))
      .flatMap(({ json }) => findReferences(keys, json).map(({ objectId }) => objectId)),
  );
  if (ids.size === 0) return true;
  const [row] = await run(queries, attach, [keys.userId, uuidArray([...ids])]);
  return row?.[0] === ids.size;
}
