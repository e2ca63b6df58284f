import type { TypeProgress } from '@tributary/contracts';
import { EntitySchema } from 'typeorm';

/** A collection that is in progress or completed. */
export interface CollectionRow {
  connection_id: string;
  collection_id: string;
  started_at: Date;
  completed_at: Date | null;
  /** Fencing token of the latest attempt: writes of an earlier attempt are refused. */
  fence: number;
  /** Attempts that ended incomplete although the health system responded. */
  failed_attempts: number;
  /**
   * Attempts since the last one that ended in an orderly way, the one in progress included. All but that one crashed or
   * lost their lock.
   */
  unfinished_attempts: number;
  /** Crashes of a process that ran this collection alone. */
  isolated_crashes: number;
  /** A collection of this connection has crashed its process before: this one runs in a process of its own. */
  is_isolated: boolean;
  /** The types that a completed collection has in full: the next collection requests only changes since then. */
  complete_types: string[];
  /** The full reads in a row that left a gap which another one may close. */
  reads_with_gap: number;
  /** From then on the next collection reads everything in full. */
  reread_at: Date | null;
  /** When the sweep next checks with user-management whether the connection still exists. */
  next_check_at: Date;
}

/** How far the collection of one type is. Saved after every page, so that a crash repeats one page at most. */
export interface CollectionCheckpointRow {
  collection_id: string;
  type: string;
  /** Encrypted JSON of `SearchState`: its URLs name the patient and can carry session tokens. */
  checkpoint: Buffer;
  progress: TypeProgress;
  /** The type was collected in full. */
  is_complete: boolean;
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
    unfinished_attempts: { type: 'int' },
    isolated_crashes: { type: 'int' },
    is_isolated: { type: 'boolean' },
    complete_types: { type: 'text', array: true },
    reads_with_gap: { type: 'int' },
    reread_at: { type: 'timestamptz', nullable: true },
    next_check_at: { type: 'timestamptz' },
  },
});

export const collectionCheckpointEntity = new EntitySchema<CollectionCheckpointRow>({
  name: 'collection_checkpoint',
  columns: {
    collection_id: { type: 'uuid', primary: true },
    type: { type: 'text', primary: true },
    checkpoint: { type: 'bytea' },
    progress: { type: 'jsonb' },
    is_complete: { type: 'boolean' },
  },
});
