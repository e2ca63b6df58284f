import type { DataKey, ScopedKeys } from '@tributary/key-vault';
import type { DataSource } from 'typeorm';
import { type Attempt, AttemptSuperseded } from './attempt';
import { type CollectionCheckpoint, searchState } from './checkpoint';
import { collectionCheckpointEntity } from './tables';

/**
 * FOR SHARE conflicts with the UPDATE of a new attempt: either that waits for this statement, or this one sees the new
 * fence.
 */
const saveCheckpoints = `
WITH saved AS (
  INSERT INTO collection_checkpoint (collection_id, type, checkpoint, progress, is_complete)
  SELECT c.collection_id, p.type, p.checkpoint, p.progress, p.is_complete
  FROM collection c, unnest($3::text[], $4::bytea[], $5::jsonb[], $6::boolean[]) AS p(type, checkpoint, progress, is_complete)
  WHERE c.collection_id = $1 AND c.fence = $2 FOR SHARE OF c
  ON CONFLICT (collection_id, type) DO UPDATE SET checkpoint = excluded.checkpoint, progress = excluded.progress, is_complete = excluded.is_complete
  RETURNING type
), returned AS (
  INSERT INTO returned_resources (collection_id, type, ids)
  SELECT $1, r.type, r.ids::uuid[] FROM unnest($7::text[], $8::text[]) AS r(type, ids) WHERE EXISTS (SELECT FROM saved)
)
SELECT type FROM saved`;

/**
 * Collections of the same connection that started before this one. An older collection never deletes rows of a newer
 * one.
 */
const earlierCollections = `
SELECT o.collection_id FROM collection o JOIN collection c ON c.connection_id = o.connection_id
WHERE c.collection_id = $1 AND o.collection_id <> c.collection_id AND o.started_at <= c.started_at`;

/**
 * The checkpoints of collections in PostgreSQL. They are encrypted with a key of the collection (AES-256-GCM), which is
 * deleted with them. Every write carries the fencing token of its attempt: when two workers collect the same
 * collection, only the later attempt writes.
 */
export class Checkpoints {
  constructor(
    private readonly database: DataSource,
    private readonly keys: ScopedKeys,
  ) {}

  /** The checkpoints of a collection; undefined when it is not planned yet. */
  async find(collectionId: string): Promise<CollectionCheckpoint[] | undefined> {
    const rows = await this.database.getRepository(collectionCheckpointEntity).findBy({ collection_id: collectionId });
    if (rows.length === 0) return undefined;
    const key = await this.#key(collectionId);
    return rows.map(({ type, checkpoint, progress }) => ({
      type,
      progress,
      search: searchState.parse(JSON.parse(key.openText(checkpoint, associatedData(collectionId, type)))),
    }));
  }

  /**
   * Saves the first checkpoints of a collection, and deletes older collections of the connection that never completed.
   * @throws AttemptSuperseded
   */
  async plan(attempt: Attempt, checkpoints: readonly CollectionCheckpoint[]): Promise<void> {
    await this.save(attempt, checkpoints);
    await this.#deleteAll(`${earlierCollections} AND o.completed_at IS NULL`, attempt.collectionId);
  }

  /**
   * @param returned ids in the record of resources that the health system has returned since the last call, by type
   * @throws AttemptSuperseded when a later attempt has started, or the collection is deleted
   */
  async save(
    attempt: Attempt,
    checkpoints: readonly CollectionCheckpoint[],
    returned: ReadonlyMap<string, readonly string[]> = new Map(),
  ): Promise<void> {
    const { collectionId, fence } = attempt;
    const key = await this.#key(collectionId);
    const saved = (await this.database.query(saveCheckpoints, [
      collectionId,
      fence,
      checkpoints.map(({ type }) => type),
      checkpoints.map(({ type, search }) => key.sealText(JSON.stringify(search), associatedData(collectionId, type))),
      checkpoints.map(({ progress }) => JSON.stringify(progress)),
      checkpoints.map(isComplete),
      [...returned.keys()],
      // As the text of an array each: `unnest` would flatten an array of arrays.
      [...returned.values()].map((ids) => `{${ids.join()}}`),
    ])) as unknown[];
    if (saved.length < checkpoints.length) throw new AttemptSuperseded();
  }

  /** Ids in the record of what the health system has returned of a type in this collection, in later collections. */
  async returnedIds(collectionId: string, type: string): Promise<string[]> {
    const rows = (await this.database.query(
      'SELECT ids FROM returned_resources WHERE collection_id = $1 AND type = $2',
      [collectionId, type],
    )) as { ids: string[] }[];
    return rows.flatMap(({ ids }) => ids);
  }

  /**
   * Deletes the checkpoints of a collection that has ended, and their key. The row stays when the next collection needs
   * it.
   */
  async deleteCheckpoints(collectionId: string): Promise<void> {
    await this.database.query(
      `WITH ended AS (DELETE FROM collection WHERE collection_id = $1 AND completed_at IS NULL AND NOT is_isolated),
       returned AS (DELETE FROM returned_resources WHERE collection_id = $1)
       DELETE FROM collection_checkpoint WHERE collection_id = $1`,
      [collectionId],
    );
    await this.keys.destroy(keyScope(collectionId));
  }

  /** Deletes the collections of the same connection that started before this one. */
  deleteEarlier(collectionId: string): Promise<void> {
    return this.#deleteAll(earlierCollections, collectionId);
  }

  /** Deletes all collections of a connection. */
  async deleteConnection(connectionId: string): Promise<void> {
    await this.#deleteAll('SELECT collection_id FROM collection WHERE connection_id = $1', connectionId);
    await this.database.query('DELETE FROM full_search WHERE connection_id = $1', [connectionId]);
  }

  async #deleteAll(select: string, id: string): Promise<void> {
    const rows = (await this.database.query(select, [id])) as { collection_id: string }[];
    for (const { collection_id } of rows) {
      await this.database.query('DELETE FROM collection WHERE collection_id = $1', [collection_id]);
      await this.keys.destroy(keyScope(collection_id));
    }
  }

  #key(collectionId: string): Promise<DataKey> {
    return this.keys.keyFor(keyScope(collectionId));
  }
}

/** Whether the next collection may request the changes of the type only. */
function isComplete({ progress, search }: CollectionCheckpoint): boolean {
  return progress.done && search.answered !== undefined && !search.isIncomplete;
}

/** The prefix of the key scopes of collections. */
export const keyScopePrefix = 'collection ';

/** A key is created after the row of its collection, so that the sweep recognizes a key without a row as orphaned. */
function keyScope(collectionId: string): string {
  return `${keyScopePrefix}${collectionId}`;
}

/** Binds a ciphertext to its row. */
function associatedData(collectionId: string, type: string): string {
  return `collection_checkpoint ${collectionId} ${type}`;
}
