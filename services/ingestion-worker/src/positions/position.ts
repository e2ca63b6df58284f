import type { TypeProgress } from '@tributary/contracts';
import { EntitySchema } from 'typeorm';

/** A collection under way or completed: which one a connection is at, and since when. */
export interface CollectionRow {
  connection_id: string;
  collection_id: string;
  started_at: Date;
  completed_at: Date | null;
  /** Number of the latest attempt: writes of an earlier one are refused. */
  fence: number;
  /** Attempts that ended without everything although the health system answered. */
  failed_attempts: number;
  /** Attempts that began since the last one that ended in good order: the others crashed, or lost their lock. */
  unfinished_starts: number;
  /** Crashes of a process that had nothing but this collection. */
  isolated_crashes: number;
  /** A collection of this connection crashed its process before: it runs in a process of its own. */
  is_isolated: boolean;
  /** Types of which a completed collection got everything: the next one need only ask for what is newer. */
  whole_types: string[];
  /** When user-management is asked next whether the connection still exists. */
  check_at: Date;
}

/** Where the collection of one type stands; stored after every page, so that a crash repeats one page at most. */
export interface PositionRow {
  collection_id: string;
  type: string;
  /** Sealed JSON of `Cursor`: addresses name the patient and can carry tokens. */
  cursor: Buffer;
  progress: TypeProgress;
  /** Everything of the type was got. */
  is_whole: boolean;
}

/** The searches of a type still to do, and where it stands in the first of them. */
export interface Cursor {
  searches: string[];
  /** The address to go on at. */
  page?: string | undefined;
  /** How often the search was begun again. */
  restarts?: number | undefined;
  /** What was counted when the search began. */
  before?: { fetched: number; stored: number; unchanged: number; failed: number } | undefined;
  /** One of the searches was refused: the type is not whole. */
  isRefused?: boolean | undefined;
}

export const collectionEntity = new EntitySchema<CollectionRow>({
  name: 'collection',
  columns: {
    collection_id: { type: 'uuid', primary: true },
    connection_id: { type: 'uuid' },
    started_at: { type: 'timestamptz' },
    completed_at: { type: 'timestamptz', nullable: true },
    fence: { type: 'int' },
    failed_attempts: { type: 'int' },
    unfinished_starts: { type: 'int' },
    isolated_crashes: { type: 'int' },
    is_isolated: { type: 'boolean' },
    whole_types: { type: 'text', array: true },
    check_at: { type: 'timestamptz' },
  },
});

export const positionEntity = new EntitySchema<PositionRow>({
  name: 'position',
  columns: {
    collection_id: { type: 'uuid', primary: true },
    type: { type: 'text', primary: true },
    cursor: { type: 'bytea' },
    progress: { type: 'jsonb' },
    is_whole: { type: 'boolean' },
  },
});
