import type { DataSource } from 'typeorm';
import { type Attempt, AttemptSuperseded } from './attempt';
import type { Checkpoints } from './checkpoints';
import type { EarlierCollections, FullSearch } from './verification-state';

/** What a collection that ends leaves to the next ones. */
export interface CompletedCollection {
  /** The searches of the types that are complete. */
  searches: readonly FullSearch[];
  /** Every searched type was read in full, not for changes only. */
  isFull: boolean;
  /** Something is missing that a later collection may find when it reads everything. */
  hasTemporaryGap: boolean;
}

/** The days until everything is read again: 0, 1, 3, 7 … after the first, second … full read with a gap. */
const daysUntilReread = `2 ^ least(coalesce(p.reads_with_gap, 0), 10) - 1`;

/**
 * $3 the types that are known and not searched in full, $4 the types that were, $5 whether all of each was verified, $6
 * up to which id, $7 whether everything was read in full, $8 whether a gap is left. The time of the last full search
 * stays when the rest is to be verified by the next collection. Repeated for the same collection, the statement keeps
 * when everything is read again.
 */
const completeCollection = `
WITH previous AS (
  SELECT o.reads_with_gap, o.reread_at FROM collection o JOIN collection c ON c.connection_id = o.connection_id
  WHERE c.collection_id = $1 AND o.collection_id <> $1 AND o.completed_at IS NOT NULL ORDER BY o.completed_at DESC LIMIT 1
), completed AS (
  UPDATE collection c SET completed_at = now(), failed_attempts = 0, unfinished_attempts = 0, next_check_at = now() + interval '1 day',
    complete_types = ARRAY (SELECT t.type FROM collection_checkpoint t WHERE t.collection_id = c.collection_id AND t.is_complete ORDER BY t.type),
    reads_with_gap = CASE WHEN c.completed_at IS NOT NULL THEN c.reads_with_gap WHEN NOT $7 THEN coalesce(p.reads_with_gap, 0)
      WHEN $8 THEN coalesce(p.reads_with_gap, 0) + 1 ELSE 0 END,
    reread_at = CASE WHEN c.completed_at IS NOT NULL THEN c.reread_at WHEN $7 AND $8 THEN now() + (${daysUntilReread}) * interval '1 day'
      WHEN $7 THEN NULL WHEN $8 THEN coalesce(p.reread_at, now()) ELSE p.reread_at END
  FROM (SELECT) one LEFT JOIN previous p ON true
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

/** What completed collections leave to later ones of their connection, in PostgreSQL. */
export class CompletedCollections {
  constructor(
    private readonly database: DataSource,
    private readonly checkpoints: Checkpoints,
  ) {}

  /**
   * Marks a collection as completed, and deletes older ones of the connection.
   * @throws AttemptSuperseded
   */
  async add({ collectionId, fence }: Attempt, completed: CompletedCollection): Promise<void> {
    const { searches, isFull, hasTemporaryGap } = completed;
    const full = searches.filter((search) => search.isFull);
    const rows = (await this.database.query(completeCollection, [
      collectionId,
      fence,
      searches.filter((search) => !search.isFull).map(({ type }) => type),
      full.map(({ type }) => type),
      full.map(({ isVerified }) => isVerified),
      full.map(({ verifiedTo }) => verifiedTo ?? null),
      isFull,
      hasTemporaryGap,
    ])) as unknown[];
    if (rows.length === 0) throw new AttemptSuperseded();
    await this.checkpoints.deleteEarlier(collectionId);
  }

  /**
   * What the completed collections of a connection have; undefined when there is none.
   * @param fullCollectionDays a type is due in full when its last full search is older
   */
  async find(connectionId: string, fullCollectionDays: number): Promise<EarlierCollections | undefined> {
    const [last] = (await this.database.query(
      `SELECT started_at, complete_types, coalesce(reread_at <= now(), false) AS is_reread_due FROM collection
       WHERE connection_id = $1 AND completed_at IS NOT NULL ORDER BY completed_at DESC LIMIT 1`,
      [connectionId],
    )) as { started_at: Date; complete_types: string[]; is_reread_due: boolean }[];
    if (!last) return undefined;
    const searches = (await this.database.query(
      `SELECT type, verified_to, full_at <= now() - make_interval(days => $2) AS is_due FROM full_search WHERE connection_id = $1`,
      [connectionId, fullCollectionDays],
    )) as { type: string; verified_to: string | null; is_due: boolean }[];
    return {
      startedAt: last.started_at,
      completeTypes: new Set(last.complete_types),
      isRereadDue: last.is_reread_due,
      fullSearches: new Map(
        searches.map(({ type, is_due, verified_to }) => [
          type,
          { isDue: is_due, verifiedTo: verified_to ?? undefined },
        ]),
      ),
    };
  }
}
