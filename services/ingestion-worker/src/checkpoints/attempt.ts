/** One attempt at a collection. */
export interface Attempt {
  connectionId: string;
  collectionId: string;
  /** Fencing token: grows with each attempt. A write with an older token is refused. */
  fence: number;
}

/** The outcomes of the earlier attempts at a collection. */
export interface AttemptHistory {
  /** Attempts that ended incomplete although the health system responded. */
  failedAttempts: number;
  /** Attempts in a row that never ended: their process crashed, or they lost the lock of their job. */
  crashes: number;
  /** Crashes of a process that ran this collection alone. */
  isolatedCrashes: number;
  /** A collection of this connection has crashed its process before. */
  isIsolated: boolean;
}

/**
 * A later attempt at the collection has begun, or the collection was deleted: this attempt must stop, and its writes
 * are refused.
 */
export class AttemptSuperseded extends Error {
  constructor() {
    super('a later attempt at this collection has begun, or it was deleted');
    this.name = 'AttemptSuperseded';
  }
}
