import type { Pool, QueryArrayConfig, QueryArrayResult } from 'pg';
import type { Queryable } from './statement';

/** Tells when a caller no longer waits for results. */
export interface Cancellation {
  /** @throws the reason when the caller is gone */
  throwIfAborted(): void;
}

/**
 * Runs statements over the pool. After a cancellation none begins. A statement that is running then ends by itself or
 * by its timeout.
 */
export class CancellableQueries implements Queryable {
  constructor(
    private readonly pool: Pool,
    private readonly cancellation: Cancellation,
  ) {}

  /** @throws the reason of the cancellation */
  query<R extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<R>> {
    this.cancellation.throwIfAborted();
    return this.pool.query<R>(config);
  }
}
