import type { TypeProgress } from '@tributary/contracts';
import type { ScopedKeys } from '@tributary/key-vault';
import { type DataSource, IsNull, Not } from 'typeorm';
import { z } from 'zod';
import { type Cursor, collectionEntity, positionEntity } from './position';

export interface Position {
  type: string;
  cursor: Cursor;
  progress: TypeProgress;
}

const cursorShape = z.object({ searches: z.array(z.string()), page: z.string().optional() });

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
    return rows.map(({ type, cursor, progress }) => {
      const { searches, page } = cursorShape.parse(JSON.parse(key.openText(cursor, place(collectionId, type))));
      return { type, progress, cursor: page === undefined ? { searches } : { searches, page } };
    });
  }

  /** Begins a collection; one of the same connection that never ended is forgotten. */
  async begin(connectionId: string, collectionId: string, positions: Position[]): Promise<void> {
    const key = await this.#key();
    await this.database.transaction(async (manager) => {
      const collections = manager.getRepository(collectionEntity);
      await collections.delete({ connection_id: connectionId, completed_at: IsNull() });
      await collections.insert({ collection_id: collectionId, connection_id: connectionId, started_at: new Date(), completed_at: null });
      await manager.getRepository(positionEntity).insert(positions.map(({ type, cursor, progress }) => ({ collection_id: collectionId, type, progress, cursor: key.sealText(JSON.stringify(cursor), place(collectionId, type)) })));
    });
  }

  async save(collectionId: string, { type, cursor, progress }: Position): Promise<void> {
    const key = await this.#key();
    await this.database.getRepository(positionEntity).upsert({ collection_id: collectionId, type, progress, cursor: key.sealText(JSON.stringify(cursor), place(collectionId, type)) }, ['collection_id', 'type']);
  }

  /** Ends a collection; it replaces the one completed before it. */
  async complete(connectionId: string, collectionId: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const collections = manager.getRepository(collectionEntity);
      await collections.update({ collection_id: collectionId }, { completed_at: new Date() });
      await collections.delete({ connection_id: connectionId, collection_id: Not(collectionId) });
    });
  }

  /** When the connection's last completed collection began: what changed at the source since then is new. */
  async lastCompletedStart(connectionId: string): Promise<Date | undefined> {
    const row = await this.database.getRepository(collectionEntity).findOne({ where: { connection_id: connectionId, completed_at: Not(IsNull()) }, order: { completed_at: 'DESC' } });
    return row?.started_at;
  }

  #key(): ReturnType<ScopedKeys['keyFor']> {
    return this.keys.keyFor('positions');
  }
}

function place(collectionId: string, type: string): string {
  return `position ${collectionId} ${type}`;
}
