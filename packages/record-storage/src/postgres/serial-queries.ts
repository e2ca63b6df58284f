import type { PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import type { Queryable } from './statement';

/**
 * Runs the statements of one transaction one after the other, and none once its caller is gone or after its end: by
 * then the connection may serve somebody else.
 */
export class SerialQueries implements Queryable {
  private last: Promise<unknown> = Promise.resolve();
  private isEnded = false;

  constructor(
    private readonly connection: PoolClient,
    private readonly signal?: AbortSignal,
  ) {}

  query<R extends unknown[]>(config: QueryArrayConfig): Promise<QueryArrayResult<R>> {
    const result = this.last.then(() => {
      if (this.isEnded) throw new Error('the transaction is over');
      this.signal?.throwIfAborted();
      return this.connection.query<R>(config);
    });
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Lets the statement end that is running, and refuses all others. */
  async end(): Promise<void> {
    this.isEnded = true;
    await this.last;
  }
}
