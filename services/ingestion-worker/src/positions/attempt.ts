/** One attempt at a collection. */
export interface Attempt {
  connectionId: string;
  collectionId: string;
  /** Fencing token: grows with each attempt. */
  fence: number;
}

/** What is known of a collection when an attempt at it begins. */
export interface CollectionHistory {
  /** Attempts that ended without everything although the health system answered. */
  failedAttempts: number;
  /** Attempts since the last orderly end that did not end in good order: their process crashed, or their lock was lost. */
  crashes: number;
  /** Crashes of a process that ran this collection alone. */
  isolatedCrashes: number;
  /** A collection of this connection crashed its process before. */
  isIsolated: boolean;
}

/** A later attempt at the collection has begun, or the collection was deleted: this attempt must stop and may not write any more. */
export class AttemptSuperseded extends Error {
  constructor() {
    super('a later attempt at this collection has begun, or it was deleted');
    this.name = 'AttemptSuperseded';
  }
}
