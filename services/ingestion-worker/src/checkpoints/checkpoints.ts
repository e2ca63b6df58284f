import type { TypeProgress } from '@tributary/contracts';
import type { DataKey, ScopedKeys } from '@tributary/key-vault';
import { type DataSource, IsNull, Not } from 'typeorm';
import { z } from 'zod';
import { searchChange } from '../collection/search-changes';
import { type Attempt, type AttemptHistory, AttemptSuperseded } from './attempt';
import { collectionCheckpointEntity, collectionEntity } from './tables';
import { type EarlierCollections, type FullSearch, verificationState } from './verification-state';

/** How far the collection of one type is. */
export interface CollectionCheckpoint {
  type: string;
  search: SearchState;
  progress: TypeProgress;
}

const counts = z.object({ fetched: z.int(), stored: z.int(), unchanged: z.int(), failed: z.int() });

/** A search that failed. It is repeated from its page after the other searches of the type. */
const postponedSearch = z.object({
  search: z.string(),
  page: z.string().optional(),
  restarts: z.int().optional(),
  /** What the search has added to the counts of the type. */
  counts,
});

const searchState = z.object({
  /** The searches to do, as URLs relative to the FHIR base. The first one is in progress. */
  remaining: z.array(z.string()),
  /** The URL of the next page of the first search; absent at its start. */
  page: z.string().optional(),
  /** How many times the first search was restarted. */
  restarts: z.int().optional(),
  /** The counts of the type at the start of the first search. A restart resets the counts to them. */
  countsAtStart: counts.optional(),
  postponed: z.array(postponedSearch).optional(),
  /** The last search that the health system answered. */
  answered: z.string().optional(),
  /** A search was refused, or failed for good: the next collection reads the type in full. */
  isIncomplete: z.boolean().optional(),
  /** The attempts in a row that have failed at this type although the health system responds. */
  failedAttempts: z.int().optional(),
  /** The health system has accepted one of the searches. */
  isAccepted: z.boolean().optional(),
  /** How the searches are changed, while the health system has refused every form of the first one. */
  refused: z.object({ searches: z.array(z.string()), change: searchChange, left: z.array(searchChange) }).optional(),
  /** The CapabilityStatement does not offer the search. */
  isUnannounced: z.boolean().optional(),
  /** Whether the searches include Provenance, or had to leave it out. */
  provenance: z.enum(['included', 'omitted']).optional(),
  /** The searches were restricted: to changes since a date, or to a part of the type. */
  restriction: z.enum(['date', 'part']).optional(),
  /** Only in a later collection of a connection. */
  verification: verificationState.optional(),
});
export type SearchState = z.infer<typeof searchState>;

interface StartedRow {
  fence: number;
  failed_attempts: number;
  unfinished_attempts: number;
  isolated_crashes: number;
  is_isolated: boolean;
}

const startAttempt = `
INSERT INTO collection (collection_id, connection_id, started_at, fence, unfinished_attempts, next_check_at, is_isolated)
VALUES ($1, $2, now(), 1, 1, now() + interval '10 minutes', EXISTS (SELECT FROM collection WHERE connection_id = $2 AND is_isolated))
ON CONFLICT (collection_id) DO UPDATE SET fence = collection.fence + 1, unfinished_attempts = collection.unfinished_attempts + 1
RETURNING fence, failed_attempts, unfinished_attempts, isolated_crashes, is_isolated`;

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
 * $3 the types that are known and not searched in full, $4 the types that were, $5 whether all of each was verified, $6
 * up to which id. The time of the last full search stays when the rest is to be verified by the next collection.
 */
const completeCollection = `
WITH completed AS (
UPDATE collection c SET completed_at = now(), failed_attempts = 0, unfinished_attempts = 0, next_check_at = now() + interval '1 day',
  complete_types = ARRAY (SELECT p.type FROM collection_checkpoint p WHERE p.collection_id = c.collection_id AND p.is_complete ORDER BY p.type)
WHERE c.collection_id = $1 AND c.fence = $2 RETURNING c.connection_id, c.started_at
), known AS (
  INSERT INTO full_search (connection_id, type, full_at)
  SELECT c.connection_id, t.type, c.started_at FROM completed c, unnest($3::text[]) AS t(type)
  ON CONFLICT DO NOTHING
), verified AS (
  INSERT INTO full_search (connection_id, type, full_at, verified_to)
  SELECT c.connection_id, t.type, CASE WHEN t.is_verified THEN c.started_at ELSE coalesce(f.full_at, c.started_at) END, t.verified_to
  FROM completed c CROSS JOIN unnest($4::text[], $5::boolean[], $6::uuid[]) AS t(type, is_verified, verified_to)
  LEFT JOIN full_search f ON f.connection_id = c.connection_id AND f.type = t.type
  ON CONFLICT (connection_id, type) DO UPDATE SET full_at = excluded.full_at, verified_to = excluded.verified_to
)
SELECT FROM completed`;

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

  /** The outcomes of the attempts so far. */
  async history(connectionId: string, collectionId: string): Promise<AttemptHistory> {
    const rows = await this.database
      .getRepository(collectionEntity)
      .findBy([{ collection_id: collectionId }, { connection_id: connectionId, is_isolated: true }]);
    const row = rows.find(({ collection_id }) => collection_id === collectionId) ?? {
      failed_attempts: 0,
      unfinished_attempts: 0,
      isolated_crashes: 0,
    };
    const isIsolated = rows.some(({ is_isolated }) => is_isolated);
    return historyOf({ ...row, is_isolated: isIsolated }, row.unfinished_attempts);
  }

  /**
   * Starts an attempt. From now on earlier attempts cannot write. The attempt counts as crashed unless `endAttempt` is
   * called.
   */
  async startAttempt(
    connectionId: string,
    collectionId: string,
  ): Promise<{ attempt: Attempt; history: AttemptHistory }> {
    const [row] = (await this.database.query(startAttempt, [collectionId, connectionId])) as [StartedRow];
    return {
      attempt: { connectionId, collectionId, fence: row.fence },
      history: historyOf(row, row.unfinished_attempts - 1),
    };
  }

  /**
   * Ends an attempt in an orderly way.
   * @param hasFailed whether it ended incomplete although the health system responded
   */
  async endAttempt({ collectionId, fence }: Attempt, hasFailed: boolean): Promise<void> {
    await this.database.query(
      'UPDATE collection SET unfinished_attempts = 0, failed_attempts = failed_attempts + $3 WHERE collection_id = $1 AND fence = $2',
      [collectionId, fence, hasFailed ? 1 : 0],
    );
  }

  /** Records that the process that ran this attempt alone has crashed. */
  async recordIsolatedCrash({ collectionId, fence }: Attempt): Promise<void> {
    await this.database.query(
      `UPDATE collection SET unfinished_attempts = 0, isolated_crashes = isolated_crashes + 1, is_isolated = true
       WHERE collection_id = $1 AND fence = $2`,
      [collectionId, fence],
    );
  }

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
   * Marks a collection as completed, and deletes older ones of the connection.
   * @param searches of the types that are complete
   * @throws AttemptSuperseded
   */
  async complete({ collectionId, fence }: Attempt, searches: readonly FullSearch[]): Promise<void> {
    const full = searches.filter(({ isFull }) => isFull);
    const rows = (await this.database.query(completeCollection, [
      collectionId,
      fence,
      searches.filter(({ isFull }) => !isFull).map(({ type }) => type),
      full.map(({ type }) => type),
      full.map(({ isVerified }) => isVerified),
      full.map(({ verifiedTo }) => verifiedTo ?? null),
    ])) as unknown[];
    if (rows.length === 0) throw new AttemptSuperseded();
    await this.#deleteAll(earlierCollections, collectionId);
  }

  /**
   * What the completed collections of a connection have; undefined when there is none.
   * @param fullCollectionDays a type is due in full when its last full search is older
   */
  async earlierCollections(connectionId: string, fullCollectionDays: number): Promise<EarlierCollections | undefined> {
    const row = await this.database.getRepository(collectionEntity).findOne({
      where: { connection_id: connectionId, completed_at: Not(IsNull()) },
      order: { completed_at: 'DESC' },
    });
    if (!row) return undefined;
    const searches = (await this.database.query(
      `SELECT type, verified_to, full_at <= now() - make_interval(days => $2) AS is_due FROM full_search WHERE connection_id = $1`,
      [connectionId, fullCollectionDays],
    )) as { type: string; verified_to: string | null; is_due: boolean }[];
    return {
      startedAt: row.started_at,
      completeTypes: new Set(row.complete_types),
      fullSearches: new Map(
        searches.map(({ type, is_due, verified_to }) => [
          type,
          { isDue: is_due, verifiedTo: verified_to ?? undefined },
        ]),
      ),
    };
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

  /** Deletes the row, the checkpoints and the key of a collection. */
  async deleteCollection(collectionId: string): Promise<void> {
    await this.database.query('DELETE FROM collection WHERE collection_id = $1', [collectionId]);
    await this.keys.destroy(keyScope(collectionId));
  }

  /** Deletes all collections of a connection. */
  async deleteConnection(connectionId: string): Promise<void> {
    await this.#deleteAll('SELECT collection_id FROM collection WHERE connection_id = $1', connectionId);
    await this.database.query('DELETE FROM full_search WHERE connection_id = $1', [connectionId]);
  }

  async #deleteAll(select: string, id: string): Promise<void> {
    const rows = (await this.database.query(select, [id])) as { collection_id: string }[];
    for (const { collection_id } of rows) await this.deleteCollection(collection_id);
  }

  #key(collectionId: string): Promise<DataKey> {
    return this.keys.keyFor(keyScope(collectionId));
  }
}

function historyOf(row: Omit<StartedRow, 'fence'>, crashes: number): AttemptHistory {
  return {
    failedAttempts: row.failed_attempts,
    crashes,
    isolatedCrashes: row.isolated_crashes,
    isIsolated: row.is_isolated,
  };
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
