import type { Pool } from 'pg';
import { ContentionError } from '../errors';

/** How many transactions of one record may wait in one process; more are refused. */
const MAX_WAITING = 100;

/**
 * Transactions of one record come one after the other. Those of one process wait for each other here, before they take a
 * connection: else the waiting ones of one user would take all connections from the others.
 */
class RecordQueue {
  private readonly waiting = new Map<number, { count: number; last: Promise<unknown> }>();

  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const queue = this.waiting.get(userId) ?? { count: 0, last: Promise.resolve() };
    if (queue.count > MAX_WAITING) throw new ContentionError();
    this.waiting.set(userId, queue);
    queue.count++;
    const result = queue.last.then(work);
    queue.last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      queue.count--;
      if (queue.count === 0) this.waiting.delete(userId);
    }
  }
}

const queues = new WeakMap<Pool, RecordQueue>();

/**
 * Runs a transaction of a record on a pool when those before it in this process have ended.
 * @throws ContentionError when too many wait
 */
export function runExclusive<T>(pool: Pool, userId: number, work: () => Promise<T>): Promise<T> {
  let queue = queues.get(pool);
  if (!queue) queues.set(pool, (queue = new RecordQueue()));
  return queue.run(userId, work);
}
