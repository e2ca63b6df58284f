import type { TypeProgress } from '@tributary/contracts';
import type { DataKey, ScopedKeys } from '@tributary/key-vault';
import { type DataSource, IsNull, Not } from 'typeorm';
import { z } from 'zod';
import type { EarlierCollection } from '../collection/plan';
import { type Cursor, type PositionRow, collectionEntity, positionEntity } from './position';

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

/** Where each collection stands, in PostgreSQL, with the cursors sealed. */
export class Positions {
  constructor(
    private readonly database: DataSource,
    private readonly keys: ScopedKeys,
  ) {}

  /** The positions of a collection that has begun, or undefined. */
  async find(collectionId: string): Promise<Position[] | undefined> {
    if (!(await this.database.getRepository(collectionEntity).existsBy({ collection_id: collectionId }))) return undefined;
    const key = await this.#key();
    const rows = await this.database.getRepository(positionEntity).findBy({ collection_id: collectionId });
    return rows.map(({ type, cursor, progress }) => ({ type, progress, cursor: cursorShape.parse(JSON.parse(key.openText(cursor, place(collectionId, type)))) }));
  }

  /** Begins a collection; one of the same connection that never ended is forgotten. */
  async begin(connectionId: string, collectionId: string, positions: Position[]): Promise<void> {
    const key = await this.#key();
    await this.database.transaction(async (manager) => {
      const collections = manager.getRepository(collectionEntity);
      await collections.delete({ connection_id: connectionId, completed_at: IsNull() });
      await collections.insert({ collection_id: collectionId, connection_id: connectionId, started_at: new Date(), completed_at: null });
      await manager.getRepository(positionEntity).insert(positions.map((position) => rowOf(key, collectionId, position)));
    });
  }

  async save(collectionId: string, position: Position): Promise<void> {
    await this.database.getRepository(positionEntity).upsert(rowOf(await this.#key(), collectionId, position), ['collection_id', 'type']);
  }

  /** Ends a collection; it replaces the one completed before it. */
  async complete(connectionId: string, collectionId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const collections = manager.getRepository(collectionEntity);
      await collections.update({ collection_id: collectionId }, { completed_at: new Date() });
      await collections.delete({ connection_id: connectionId, collection_id: Not(collectionId) });
    });
  }

  /** What the connection's last completed collection got, or undefined when there was none. */
  async earlier(connectionId: string): Promise<EarlierCollection | undefined> {
    const row = await this.database.getRepository(collectionEntity).findOne({ where: { connection_id: connectionId, completed_at: Not(IsNull()) }, order: { completed_at: 'DESC' } });
    if (!row) return undefined;
    const whole = await this.database.getRepository(positionEntity).find({ select: { type: true }, where: { collection_id: row.collection_id, is_whole: true } });
    return { startedAt: row.started_at, wholeTypes: new Set(whole.map(({ type }) => type)) };
  }

  #key(): ReturnType<ScopedKeys['keyFor']> {
    return this.keys.keyFor('positions');
  }
}

function rowOf(key: DataKey, collectionId: string, { type, cursor, progress }: Position): PositionRow {
  const isWhole = progress.done && !cursor.isRefused;
  return { collection_id: collectionId, type, progress, is_whole: isWhole, cursor: key.sealText(JSON.stringify(cursor), place(collectionId, type)) };
}

function place(collectionId: string, type: string): string {
  return `position ${collectionId} ${type}`;
}
