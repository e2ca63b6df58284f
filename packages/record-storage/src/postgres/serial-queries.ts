import type { PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import type { Cancellation, Queryable } from './statement';

/**
 * Runs the statements of a transaction one at a time. It refuses statements after the end of the transaction or the
 * cancellation, because the connection may then be in use by another transaction.
 */
export class SerialQueries implements Queryable {
  private last: Promise<unknown> = Promise.resolve();
  private isEnded = false;

  constructor(
    private readonly connection: PoolClient,
    private readonly cancellation?: Cancellation,
  ) {}

  query<R extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<R>> {
    const result = this.last.then(() => {
      if (this.isEnded) throw new Error('the transaction has ended');
      this.cancellation?.throwIfAborted();
      return this.connection.query<R>(config);
    });
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Waits for the statement that is running, and refuses all others. */
  async end(): Promise<void> {
    this.isEnded = true;
    await this.last;
  }
}
