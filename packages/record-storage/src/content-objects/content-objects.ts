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

/** Objects that one transaction deletes, and requests for them at a time. */
const OBJECTS_PER_TRANSACTION = 100;
const REQUESTS_AT_ONCE = 8;

/**
 * An upload has ended after this time, in milliseconds, and so has the request that was to refer to it.
 */
export const ABANDONED_AFTER_MS = 24 * 3_600_000;

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
    await this.deleteTaken(takeUnattached, [userId, objectId]);
  }

  /** Deletes the objects of versions of a destroyed record. @throws ObjectStorageError */
  async deleteOfUser(userId: number): Promise<void> {
    while ((await this.deleteTaken(takeOfUser, [userId, OBJECTS_PER_TRANSACTION])) > 0);
  }

  /**
   * Deletes some objects that were uploaded and are not referred to.
   * @returns how many; 0 if none is left
   * @throws ObjectStorageError
   */
  deleteAbandoned(ageMs = ABANDONED_AFTER_MS): Promise<number> {
    return this.deleteTaken(takeAbandoned, [ageMs, OBJECTS_PER_TRANSACTION]);
  }

  /** The rows come back when the storage does not delete an object. */
  private deleteTaken(statement: Statement, parameters: readonly unknown[]): Promise<number> {
    return inTransaction(this.pool, async (connection) => {
      await connection.query('BEGIN');
      const taken = (await run(connection, statement, parameters)).map(([objectId]) => objectId as string);
      for (let from = 0; from < taken.length; from += REQUESTS_AT_ONCE)
        await Promise.all(taken.slice(from, from + REQUESTS_AT_ONCE).map((objectId) => this.storage.delete(objectId)));
      return taken.length;
    });
  }
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
