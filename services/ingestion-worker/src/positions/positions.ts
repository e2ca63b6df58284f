import type { TypeProgress } from '@tributary/contracts';
import type { DataKey, ScopedKeys } from '@tributary/key-vault';
import { type DataSource, IsNull, Not } from 'typeorm';
import { z } from 'zod';
import type { EarlierCollection } from '../collection/plan';
import { type Attempt, AttemptSuperseded, type CollectionHistory } from './attempt';
import { type Cursor, collectionEntity, positionEntity } from './position';

export interface Position {
  type: string;
  cursor: Cursor;
  progress: TypeProgress;
}

const cursorShape = z.object({
  searches: z.array(z.string()),
  page: z.string().optional(),
  restarts: z.int().optional(),
  before: z.object({ fetched: z.int(), stored: z.int(), unchanged: z.int(), failed: z.int() }).optional(),
  isRefused: z.boolean().optional(),
});

interface StartedRow {
  fence: number;
  failed_attempts: number;
  unfinished_starts: number;
  isolated_crashes: number;
  is_isolated: boolean;
}

const start = `
INSERT INTO collection (collection_id, connection_id, started_at, fence, unfinished_starts, check_at, is_isolated)
VALUES ($1, $2, now(), 1, 1, now() + interval '10 minutes', EXISTS (SELECT FROM collection WHERE connection_id = $2 AND is_isolated))
ON CONFLICT (collection_id) DO UPDATE SET fence = collection.fence + 1, unfinished_starts = collection.unfinished_starts + 1
RETURNING fence, failed_attempts, unfinished_starts, isolated_crashes, is_isolated`;

/** The share lock makes an attempt that begins meanwhile wait for this write, or this write see the new fence. */
const save = `
INSERT INTO position (collection_id, type, cursor, progress, is_whole)
SELECT c.collection_id, p.type, p.cursor, p.progress, p.is_whole
FROM collection c, unnest($3::text[], $4::bytea[], $5::jsonb[], $6::boolean[]) AS p(type, cursor, progress, is_whole)
WHERE c.collection_id = $1 AND c.fence = $2 FOR SHARE OF c
ON CONFLICT (collection_id, type) DO UPDATE SET cursor = excluded.cursor, progress = excluded.progress, is_whole = excluded.is_whole
RETURNING type`;

const complete = `
UPDATE collection c SET completed_at = now(), failed_attempts = 0, unfinished_starts = 0, check_at = now() + interval '1 day',
  whole_types = ARRAY (SELECT p.type FROM position p WHERE p.collection_id = c.collection_id AND p.is_whole ORDER BY p.type)
WHERE c.collection_id = $1 AND c.fence = $2 RETURNING c.collection_id`;

/** Collections of the same connection that began before this one; an older collection never deletes what a newer one has. */
const earlierOnes = `
SELECT o.collection_id FROM collection o JOIN collection c ON c.connection_id = o.connection_id
WHERE c.collection_id = $1 AND o.collection_id <> c.collection_id AND o.started_at <= c.started_at`;

/**
 * Checkpoints of the collections under way, in PostgreSQL. Their cursors are sealed under a key of the collection, which is
 * destroyed with them. Every write carries the fence of its attempt: of two workers that collect the same, only the later one writes.
 */
export class Positions {
  constructor(
    private readonly database: DataSource,
    private readonly keys: ScopedKeys,
  ) {}

  /** How the attempts at a collection went so far. */
  async history(connectionId: string, collectionId: string): Promise<CollectionHistory> {
    const rows = await this.database
      .getRepository(collectionEntity)
      .findBy([{ collection_id: collectionId }, { connection_id: connectionId, is_isolated: true }]);
    const own = rows.find(({ collection_id }) => collection_id === collectionId) ?? {
      failed_attempts: 0,
      unfinished_starts: 0,
      isolated_crashes: 0,
    };
    return historyOf({ ...own, is_isolated: rows.some(({ is_isolated }) => is_isolated) }, own.unfinished_starts);
  }

  /** Begins an attempt; an earlier one cannot write from now on. It counts as crashed unless `end` is called for it. */
  async start(connectionId: string, collectionId: string): Promise<{ attempt: Attempt; history: CollectionHistory }> {
    const [row] = (await this.database.query(start, [collectionId, connectionId])) as [StartedRow];
    return {
      attempt: { connectionId, collectionId, fence: row.fence },
      history: historyOf(row, row.unfinished_starts - 1),
    };
  }

  /** The attempt ends in good order. @param failed whether it counts as failed: the health system answered, and not everything was had */
  async end({ collectionId, fence }: Attempt, failed: boolean): Promise<void> {
    await this.database.query(
      'UPDATE collection SET unfinished_starts = 0, failed_attempts = failed_attempts + $3 WHERE collection_id = $1 AND fence = $2',
      [collectionId, fence, failed ? 1 : 0],
    );
  }

  /** The process that ran this attempt alone crashed. */
  async crashedAlone({ collectionId, fence }: Attempt): Promise<void> {
    await this.database.query(
      `UPDATE collection SET unfinished_starts = 0, isolated_crashes = isolated_crashes + 1, is_isolated = true
       WHERE collection_id = $1 AND fence = $2`,
      [collectionId, fence],
    );
  }

  /** The positions of a collection that was planned, or undefined. */
  async find(collectionId: string): Promise<Position[] | undefined> {
    const rows = await this.database.getRepository(positionEntity).findBy({ collection_id: collectionId });
    if (rows.length === 0) return undefined;
    const key = await this.#key(collectionId);
    return rows.map(({ type, cursor, progress }) => ({
      type,
      progress,
      cursor: cursorShape.parse(JSON.parse(key.openText(cursor, place(collectionId, type)))),
    }));
  }

  /** The first positions of a collection. Others of the connection that never ended are deleted. @throws AttemptSuperseded */
  async plan(attempt: Attempt, positions: readonly Position[]): Promise<void> {
    await this.save(attempt, positions);
    await this.#forgetAll(`${earlierOnes} AND o.completed_at IS NULL`, attempt.collectionId);
  }

  /** @throws AttemptSuperseded when the positions are no longer this attempt's to write */
  async save(attempt: Attempt, positions: readonly Position[]): Promise<void> {
    const { collectionId, fence } = attempt;
    const key = await this.#key(collectionId);
    const saved = (await this.database.query(save, [
      collectionId,
      fence,
      positions.map(({ type }) => type),
      positions.map(({ type, cursor }) => key.sealText(JSON.stringify(cursor), place(collectionId, type))),
      positions.map(({ progress }) => JSON.stringify(progress)),
      positions.map(isWhole),
    ])) as unknown[];
    if (saved.length < positions.length) throw new AttemptSuperseded();
  }

  /** Notes that the collection has everything; it replaces the one completed before it. @throws AttemptSuperseded */
  async complete({ collectionId, fence }: Attempt): Promise<void> {
    const [rows] = (await this.database.query(complete, [collectionId, fence])) as [unknown[]];
    if (rows.length === 0) throw new AttemptSuperseded();
    await this.#forgetAll(earlierOnes, collectionId);
  }

  /** What the connection's last completed collection got, or undefined when there was none. */
  async earlier(connectionId: string): Promise<EarlierCollection | undefined> {
    const row = await this.database.getRepository(collectionEntity).findOne({
      where: { connection_id: connectionId, completed_at: Not(IsNull()) },
      order: { completed_at: 'DESC' },
    });
    return row ? { startedAt: row.started_at, wholeTypes: new Set(row.whole_types) } : undefined;
  }

  /** Deletes the checkpoints of a collection that has ended, and their key. What it completed stays known. */
  async settle(collectionId: string): Promise<void> {
    await this.database.query(
      `WITH ended AS (DELETE FROM collection WHERE collection_id = $1 AND completed_at IS NULL AND NOT is_isolated)
       DELETE FROM position WHERE collection_id = $1`,
      [collectionId],
    );
    await this.keys.destroy(scopeOf(collectionId));
  }

  /** Deletes all that is kept of a collection. */
  async forgetCollection(collectionId: string): Promise<void> {
    await this.database.query('DELETE FROM collection WHERE collection_id = $1', [collectionId]);
    await this.keys.destroy(scopeOf(collectionId));
  }

  /** Deletes all that is kept of a connection. */
  async forgetConnection(connectionId: string): Promise<void> {
    await this.#forgetAll('SELECT collection_id FROM collection WHERE connection_id = $1', connectionId);
  }

  async #forgetAll(select: string, id: string): Promise<void> {
    const rows = (await this.database.query(select, [id])) as { collection_id: string }[];
    for (const { collection_id } of rows) await this.forgetCollection(collection_id);
  }

  #key(collectionId: string): Promise<DataKey> {
    return this.keys.keyFor(scopeOf(collectionId));
  }
}

function historyOf(row: Omit<StartedRow, 'fence'>, crashes: number): CollectionHistory {
  return {
    failedAttempts: row.failed_attempts,
    crashes,
    isolatedCrashes: row.isolated_crashes,
    isIsolated: row.is_isolated,
  };
}

function isWhole({ progress, cursor }: Position): boolean {
  return progress.done && !cursor.isRefused;
}

/** What the scopes of all keys of collections begin with. */
export const keyScopes = 'collection ';

/** The scope of a collection's key. The key is made after the row of the collection, so that a key without a row is left over. */
function scopeOf(collectionId: string): string {
  return `${keyScopes}${collectionId}`;
}

function place(collectionId: string, type: string): string {
  return `position ${collectionId} ${type}`;
}
