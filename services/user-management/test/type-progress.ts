import type { CollectionReport } from '@tributary/contracts';

/** The progress of a type that was read in full, in a report of the worker. */
export function typeProgress(
  type: string,
  stored: number,
  unchanged: number,
  done: boolean,
): CollectionReport['types'][number] {
  return {
    type,
    read: 'full',
    created: stored,
    deleted: 0,
    fetched: stored + unchanged,
    stored,
    unchanged,
    failed: 0,
    done,
    outcome: done ? 'complete' : 'pending',
    warnings: [],
  };
}
