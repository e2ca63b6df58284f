import type { TypeProgress } from '@tributary/contracts';
import { EntitySchema } from 'typeorm';

/** A collection under way or ended: which one a connection is at, and since when. */
export interface CollectionRow {
  connection_id: string;
  collection_id: string;
  started_at: Date;
  completed_at: Date | null;
}

/** Where the collection of one type stands; stored after every page, so that a crash repeats one page at most. */
export interface PositionRow {
  collection_id: string;
  type: string;
  /** Sealed JSON of `Cursor`: addresses name the patient and can carry tokens. */
  cursor: Buffer;
  progress: TypeProgress;
}

/** The searches of a type still to do; `page` is the address to go on at within the first of them. */
export interface Cursor {
  searches: string[];
  page?: string;
}

export const collectionEntity = new EntitySchema<CollectionRow>({
  name: 'collection',
  columns: {
    collection_id: { type: 'uuid', primary: true },
    connection_id: { type: 'uuid' },
    started_at: { type: 'timestamptz' },
    completed_at: { type: 'timestamptz', nullable: true },
  },
});

export const positionEntity = new EntitySchema<PositionRow>({
  name: 'position',
  columns: {
    collection_id: { type: 'uuid', primary: true },
    type: { type: 'text', primary: true },
    cursor: { type: 'bytea' },
    progress: { type: 'jsonb' },
  },
});
